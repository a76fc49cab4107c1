#pragma once

#include <optional>
#include <vector>

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/intervals.hpp"
#include "sim/targeting/shard_key.hpp"

namespace scattergate::sim {

/// The conditions under which a router selects the shards of a command.
struct targeting_terms {
  bool compares_simply = true;  ///< strings are compared byte by byte; false under a
                                ///< collation, where strings give no bounds
  targeting_rules rules = rules_of("8.0");
};

/// The bounds that a filter gives on a shard key: for each field, the set of values that a
/// matching document may have.
using key_bounds = std::vector<value_set>;

/// The bounds of the plan that mongos would choose if an index on the shard key were the only
/// index; std::nullopt if no plan could use the index (mongo: plan_enumerator.cpp,
/// enumerateOneIndex). REQUIRES: `filter` is simplified().
[[nodiscard]] std::optional<key_bounds> bounds_of_key(const filter_node& filter,
                                                      const shard_key& key,
                                                      const targeting_terms& terms);

/// The values of all key fields (not their hashes) if the filter has a plain equality on each
/// field. std::nullopt if an equality is missing, occurs twice, or compares with an array, a
/// regular expression or undefined (mongo: pathsupport::extractFullEqualityMatches). REQUIRES:
/// `filter` is simplified().
[[nodiscard]] std::optional<array> pinned_values(const filter_node& filter,
                                                 const shard_key& key);

}  // namespace scattergate::sim
