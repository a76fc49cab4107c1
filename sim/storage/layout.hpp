#pragma once

#include <cstddef>

#include "sim/storage/cluster.hpp"

/// Chunk layouts that are identical in every run.
namespace scattergate::sim {

/// The number of chunks of a new sharded collection: as in MongoDB, two per shard if the key
/// begins with a hashed field, otherwise one.
[[nodiscard]] std::int64_t default_chunks(const shard_key& key, std::size_t shards);

/// Splits the whole key space into `count` chunks of equal width and assigns them to the shards
/// in blocks, with their documents. Splits the first field: by its hash if it is hashed, else
/// as ObjectIds are distributed (a ranged key of other values stays in one chunk).
void lay_out_evenly(cluster& data, collection& of, std::size_t count);

/// Creates the collections of `preset`: "yorkie" is Yorkie v0.6.38's database. False for an
/// unknown name.
[[nodiscard]] bool apply_preset(cluster& data, std::string_view preset);

}  // namespace scattergate::sim
