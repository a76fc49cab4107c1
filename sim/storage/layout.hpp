#pragma once

#include <cstddef>

#include "sim/storage/cluster.hpp"

/// Distributes chunks over shards, identically in every run.
namespace scattergate::sim {

/// The number of chunks of a newly sharded collection, as in MongoDB before 7.2. Two per shard
/// if the key begins with a hashed field, otherwise one in total. `shards`: the number of
/// shards.
[[nodiscard]] std::int64_t default_chunks(const shard_key& key, std::size_t shards);

/// Splits the key space of a sharded collection into `count` chunks of equal width. Assigns
/// consecutive chunks, with their documents, to each shard. Splits by the key's first field: a
/// hashed field by its hash, any other field as if it contained ObjectIds. In a field of
/// another type, all values of this type fall into one chunk.
void lay_out_evenly(cluster& data, collection& of, std::size_t count);

/// Creates the collections of a preset (a predefined database), without documents. The only
/// preset is "yorkie", the database of Yorkie v0.6.38. Returns false for any other name.
[[nodiscard]] bool apply_preset(cluster& data, std::string_view preset);

}  // namespace scattergate::sim
