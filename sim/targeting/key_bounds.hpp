#pragma once

#include <optional>
#include <vector>

#include "sim/targeting/chunks.hpp"
#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/intervals.hpp"

/// The bounds that one predicate gives on one field of a shard key: the values that the field
/// may have. mongos computes them as for an index on the field.
namespace scattergate::sim {

/// Whether a collation may affect comparisons with this value: true for a string, a document
/// and an array.
[[nodiscard]] bool is_collated(const value& operand);

/// Whether a predicate of this kind can give bounds on the field that it names (mongo:
/// indexability.h).
[[nodiscard]] bool is_bounding(const filter_node& predicate);

/// Whether a predicate can give bounds on this field of the key (mongo:
/// QueryPlannerIXSelect::_compatible). On a hashed field, only equalities, `$exists`, and `$in`
/// without regular expressions give bounds. `compares_simply`: strings are compared byte by
/// byte. If it is false (under a collation), predicates on values that a collation affects give
/// no bounds. REQUIRES: is_bounding(predicate).
[[nodiscard]] bool can_bound(const filter_node& predicate, const shard_key::part& part,
                             bool compares_simply);

/// The values that a predicate allows in this field of the key; for a hashed field, their
/// hashes (mongo: index_bounds_builder.cpp). REQUIRES: can_bound() is true.
[[nodiscard]] value_set bounds_of(const filter_node& predicate, const shard_key::part& part,
                                  const targeting_rules& rules);

/// How to compare strings, and which version's rules to apply, when a filter selects shards.
struct targeting_terms {
  bool compares_simply = true;  ///< strings are compared byte by byte; false under a collation,
                                ///< where conditions on strings give no bounds
  targeting_rules rules = rules_of("8.0");
};

/// The bounds that a filter gives on a shard key: for each field, the set of values that a
/// matching document may have.
using key_bounds = std::vector<value_set>;

/// Returns the bounds that a filter gives on a shard key. mongos takes them from the query plan
/// that it would choose if an index on the shard key were the only index (mongo:
/// plan_enumerator.cpp, enumerateOneIndex). std::nullopt if no plan could use this index.
/// REQUIRES: `filter` comes from simplified().
[[nodiscard]] std::optional<key_bounds> bounds_of_key(const filter_node& filter,
                                                      const shard_key& key,
                                                      const targeting_terms& terms);

/// Returns the values of all key fields (not their hashes) if the filter requires exactly one
/// value of each: {a: 1, b: 2} for a key on a and b gives [1, 2]. std::nullopt if a plain
/// equality is missing, occurs twice, or compares with an array, a regular expression or
/// undefined (mongo: pathsupport::extractFullEqualityMatches). REQUIRES: `filter` comes from
/// simplified().
[[nodiscard]] std::optional<array> pinned_values(const filter_node& filter,
                                                 const shard_key& key);

}  // namespace scattergate::sim
