#pragma once

#include <optional>
#include <set>

#include "sim/targeting/chunks.hpp"
#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/key_bounds.hpp"
#include "sim/targeting/shard_key.hpp"
#include "sim/values/value.hpp"

/// Computes the shards that a command must reach. This code is independent of the daemon's
/// routing: tests compare the results of both with each other, and with the answers of a real
/// mongos (tests/sim/real_answers_test.cpp).
namespace scattergate::sim {

/// The shards that a filter must reach.
struct target {
  std::set<shard_index> shards;
  bool is_point = false;  ///< the filter has an equality on the full key, or the collection
                          ///< isn't sharded
};

/// The shards whose chunks may contain documents that match `filter`. Never empty: mongos asks
/// a shard even if no document can match.
[[nodiscard]] target target_of(const filter_node& filter, const shard_key& key,
                               const chunk_map& chunks, const targeting_terms& terms = {});

/// The value of the only equality on `_id` in the simplified filter; std::nullopt if there is
/// none.
[[nodiscard]] std::optional<value> exact_id_of(const filter_node& filter,
                                               const targeting_rules& rules);

/// Whether mongos may send a write of one document to all shards, because the filter's `_id`
/// (see exact_id_of()) selects at most one document. `collates_alike`: the command's collation
/// is the collection's default; if false, the `_id` must not be a string, document or array.
[[nodiscard]] bool has_exact_id(const filter_node& filter, bool collates_alike,
                                const targeting_rules& rules);

}  // namespace scattergate::sim
