#pragma once

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/intervals.hpp"
#include "sim/targeting/shard_key.hpp"

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

}  // namespace scattergate::sim
