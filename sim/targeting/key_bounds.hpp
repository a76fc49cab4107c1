#pragma once

#include <optional>
#include <vector>

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/intervals.hpp"
#include "sim/targeting/shard_key.hpp"

namespace scattergate::sim {

/// How a router targets a command.
struct targeting_terms {
  bool compares_simply = true;  ///< false under a collation that isn't simple: then strings
                                ///< give no bounds
  targeting_rules rules = rules_of("8.0");
};

/// The bounds that a filter gives on a shard key: one set per field.
using key_bounds = std::vector<value_set>;

/// The bounds of the first plan that mongos would choose if an index on the shard key were its
/// only index; std::nullopt if no plan could use that index (mongo: plan_enumerator.cpp,
/// enumerateOneIndex). REQUIRES: `filter` is simplified().
[[nodiscard]] std::optional<key_bounds> bounds_of_key(const filter_node& filter,
                                                      const shard_key& key,
                                                      const targeting_terms& terms);

/// The values of all key fields, not hashed, if the filter has a plain equality on each of
/// them; std::nullopt if one is missing or specified twice (mongo:
/// pathsupport::extractFullEqualityMatches). REQUIRES: `filter` is simplified().
[[nodiscard]] std::optional<array> pinned_values(const filter_node& filter,
                                                 const shard_key& key);

}  // namespace scattergate::sim
