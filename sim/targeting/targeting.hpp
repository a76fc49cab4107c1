#pragma once

#include <optional>
#include <set>

#include "sim/targeting/chunks.hpp"
#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/key_bounds.hpp"
#include "sim/targeting/shard_key.hpp"
#include "sim/values/value.hpp"

/// Which shards a command must reach. Written on its own, over plain values and the chunk
/// list, so that it can disagree with the daemon's judgement; held against what a real mongos
/// answered (tests/sim/real_answers_test.cpp).
namespace scattergate::sim {

/// What the filter of a command says about a shard key.
struct target {
  std::set<shard_index> shards;
  bool is_point = false;  ///< equality on the full key: one document's place
};

/// The shards whose chunks a document matching `filter` may live in.
[[nodiscard]] target target_of(const filter_node& filter, const shard_key& key,
                               const chunk_map& chunks, const targeting_terms& terms = {});

/// The `_id` that the filter, simplified, equals exactly; nothing where it doesn't.
[[nodiscard]] std::optional<value> exact_id_of(const filter_node& filter,
                                               const targeting_rules& rules);

/// Whether a write may be broadcast by that `_id`. `collates_alike`: whether the command
/// compares as the collection does by default.
[[nodiscard]] bool has_exact_id(const filter_node& filter, bool collates_alike,
                                const targeting_rules& rules);

}  // namespace scattergate::sim
