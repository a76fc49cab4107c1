#pragma once

#include <set>
#include <vector>

#include "sim/storage/chunks.hpp"
#include "sim/storage/shard_key.hpp"
#include "sim/values/value.hpp"

/// Which shards a command must reach. Written on its own, over plain values and the chunk
/// list, so that it can disagree with the daemon's judgement.
namespace scattergate::sim {

/// What the filter of a command says about a shard key.
struct target {
  std::set<shard_index> shards;
  bool is_point = false;  ///< equality on the full key: one document's place
};

/// The shards whose chunks a document matching `filter` may live in.
/// `compares_simply`: false under a collation, where strings bound nothing.
[[nodiscard]] target target_of(const document& filter, const shard_key& key,
                               const chunk_map& chunks, bool compares_simply = true);

/// Whether `filter` equals `_id` exactly, so that a write may be broadcast by it.
[[nodiscard]] bool has_exact_id(const document& filter);

}  // namespace scattergate::sim
