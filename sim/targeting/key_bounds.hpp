#pragma once

#include <optional>
#include <vector>

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/intervals.hpp"
#include "sim/targeting/shard_key.hpp"

namespace scattergate::sim {

/// A router's way of targeting.
struct targeting_terms {
  bool compares_simply = true;  ///< false under a collation: then strings bound nothing
  targeting_rules rules = rules_of("8.0");
};

/// The bounds of each field of a shard key by a filter.
using key_bounds = std::vector<value_set>;

/// The bounds of the plan that mongos would choose first if the shard key were its only index;
/// std::nullopt if no plan could use it (mongo: plan_enumerator.cpp, enumerateOneIndex).
/// REQUIRES: `filter` is simplified.
[[nodiscard]] std::optional<key_bounds> bounds_of_key(const filter_node& filter,
                                                      const shard_key& key,
                                                      const targeting_terms& terms);

/// The unhashed values of the key's fields by plain equalities; std::nullopt if one is missing
/// or specified twice (mongo: pathsupport::extractFullEqualityMatches). REQUIRES: `filter` is
/// simplified.
[[nodiscard]] std::optional<array> pinned_values(const filter_node& filter,
                                                 const shard_key& key);

}  // namespace scattergate::sim
