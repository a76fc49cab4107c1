#pragma once

#include <optional>

#include "routing/bounds/filter_walk.hpp"
#include "routing/verdict.hpp"

namespace scattergate::routing {

/// Whether the last chunk contains the key with MaxKey in every field. In 4.4, and in a
/// recorded 5.0, no chunk does, and nothing can be written there (mongo: chunk_manager.cpp,
/// findIntersectingChunk; later ChunkMap::findIntersectingChunk).
[[nodiscard]] constexpr bool last_chunk_has_end(server_version version) noexcept {
  return !version.precedes({5, 0, 1});
}

/// The shards that mongos asks for one filter or document on one collection.
struct target {
  routing_class routing = routing_class::unknown;
  bounds_kind bounds = bounds_kind::none;
  reason why = reason::none;
  key_field_set missing{};  ///< fields that no predicate bounds
  key_hints hints{};
  bool is_pinned = false;  ///< an equality on the full key, recognised as such by mongos
  bool may_match_nothing = false;  ///< mongos may detect a contradiction and ask one shard
  bool asks_one = false;  ///< mongos asks just one shard of the fan-out; it isn't known which
  bytes_view point{};     ///< the encoded key if `bounds` is point and the key is known
  std::optional<shard_set> fanout{};  ///< empty: chunks are unknown
};

/// Computes the target of a filter from its bounds (mongo: shard_key_pattern_query_util.cpp,
/// getShardIdsAndChunksForQuery, flattenBounds). Check walk.fault() afterwards: if there is
/// one, the result is meaningless.
[[nodiscard]] target target_of(filter_walk& walk, scratch& memory) noexcept;

/// The target of a document with the encoded key `key`.
[[nodiscard]] target target_of_key(const collection& on, bytes_view key,
                                   scratch& memory) noexcept;

/// All shards that own a chunk; std::nullopt if chunks are unknown or the scratch memory is
/// exhausted.
[[nodiscard]] std::optional<shard_set> all_owners(const collection& on,
                                                  scratch& memory) noexcept;

/// The target of the first chunk's owner, which mongos also asks when nothing can match.
[[nodiscard]] target first_owner(const collection& on, scratch& memory) noexcept;

/// Encodes a whole key: the concatenated encodings of all fields' values; empty if one can't be
/// encoded.
[[nodiscard]] bytes_view encode_key(std::span<const wire::element> values, const collection& on,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
