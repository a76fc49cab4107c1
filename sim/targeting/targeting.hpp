#pragma once

#include <optional>
#include <set>

#include "sim/targeting/chunks.hpp"
#include "sim/targeting/filter_tree.hpp"
#include "sim/targeting/key_bounds.hpp"
#include "sim/values/value.hpp"

/// Computes the shards that a command must reach. This code is independent of the daemon's
/// routing: tests compare the results of both with each other, and with the answers of a real
/// mongos (tests/sim/real_answers_test.cpp).
namespace scattergate::sim {

/// The shards that a filter must reach.
struct target {
  std::set<shard_index> shards;
  bool is_point = false;  ///< the shard was found by an equality on the full key, or the
                          ///< collection isn't sharded
};

/// The shards whose chunks may contain documents that match `filter`. Never empty: mongos asks
/// a shard even if no document can match.
[[nodiscard]] target target_of(const filter_node& filter, const shard_key& key,
                               const chunk_map& chunks, const targeting_terms& terms = {});

/// The value that the filter requires of `_id`: 5 for {_id: 5, a: 1}. std::nullopt unless the
/// filter has exactly one plain equality on `_id`.
[[nodiscard]] std::optional<value> exact_id_of(const filter_node& filter,
                                               const targeting_rules& rules);

/// Whether mongos may send a write of one document to all shards, because the filter requires
/// one `_id` (see exact_id_of()). `collates_alike`: the command's collation is the collection's
/// default. If false, an `_id` that is a string, document or array doesn't suffice, because
/// several values may match it.
[[nodiscard]] bool has_exact_id(const filter_node& filter, bool collates_alike,
                                const targeting_rules& rules);

}  // namespace scattergate::sim
