#pragma once

#include <optional>
#include <vector>

#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/intervals.hpp"
#include "sim/targeting/shard_key.hpp"

namespace scattergate::sim {

/// How a router targets.
struct targeting_terms {
  bool compares_simply = true;  ///< false under a collation: then strings bound nothing
  targeting_rules rules = rules_of("8.0");
};

/// What a filter says of each field of a shard key.
using key_bounds = std::vector<value_set>;

/// The bounds of the plan that mongos would choose first, were the shard key its only index;
/// nothing where no plan could use it (mongo: plan_enumerator.cpp, enumerateOneIndex). `filter`
/// is simplified.
[[nodiscard]] std::optional<key_bounds> bounds_of_key(const filter_node& filter,
                                                      const shard_key& key,
                                                      const targeting_terms& terms);

/// The values, unhashed, that plain equalities give the key's fields; nothing where they leave
/// one out, or name one twice (mongo: pathsupport::extractFullEqualityMatches). `filter` is
/// simplified.
[[nodiscard]] std::optional<array> pinned_values(const filter_node& filter,
                                                 const shard_key& key);

}  // namespace scattergate::sim
