#pragma once

#include <optional>
#include <set>

#include "sim/targeting/chunks.hpp"
#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/key_bounds.hpp"
#include "sim/targeting/shard_key.hpp"
#include "sim/values/value.hpp"

/// Computes the shards that a command must reach. Written independently of the daemon's
/// routing, over plain values and the chunk list, so that the two can disagree; compared with a
/// real mongos's answers (tests/sim/real_answers_test.cpp).
namespace scattergate::sim {

/// The target of a filter on a shard key.
struct target {
  std::set<shard_index> shards;
  bool is_point = false;  ///< an equality on the full key: one document's position
};

/// The shards whose chunks may contain a document that matches `filter`.
[[nodiscard]] target target_of(const filter_node& filter, const shard_key& key,
                               const chunk_map& chunks, const targeting_terms& terms = {});

/// The `_id` to which the simplified filter is exactly equal; std::nullopt if there is none.
[[nodiscard]] std::optional<value> exact_id_of(const filter_node& filter,
                                               const targeting_rules& rules);

/// Whether a write may be broadcast by that `_id`. `collates_alike`: the command uses the
/// collection's default collation.
[[nodiscard]] bool has_exact_id(const filter_node& filter, bool collates_alike,
                                const targeting_rules& rules);

}  // namespace scattergate::sim
