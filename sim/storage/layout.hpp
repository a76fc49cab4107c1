#pragma once

#include <cstddef>

#include "sim/storage/cluster.hpp"

/// Chunk layouts that are the same in every run.
namespace scattergate::sim {

/// How many chunks a new sharded collection gets: two a shard where the key begins with a
/// hashed field, else one, as MongoDB does it.
[[nodiscard]] std::int64_t default_chunks(const shard_key& key, std::size_t shards);

/// Splits the whole key space into `count` chunks of equal width and deals them out to the
/// shards in blocks, documents included. The first field is split: by its hash where it is
/// hashed, else as ObjectIds are spread (a ranged key of other values stays in one chunk).
void lay_out_evenly(cluster& data, collection& of, std::size_t count);

/// The collections of `preset`: "yorkie" is Yorkie v0.6.38's database. False for an unknown
/// name.
[[nodiscard]] bool apply_preset(cluster& data, std::string_view preset);

}  // namespace scattergate::sim
