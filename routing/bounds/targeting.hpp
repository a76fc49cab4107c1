#pragma once

#include <optional>

#include "routing/bounds/filter_walk.hpp"
#include "routing/verdict.hpp"

namespace scattergate::routing {

/// Whether the last chunk contains MaxKey in every field. In 4.4, and in a recorded 5.0, chunks
/// end before it: no chunk contains that key, and nothing can be written there (mongo:
/// chunk_manager.cpp, findIntersectingChunk; later ChunkMap::findIntersectingChunk).
[[nodiscard]] constexpr bool last_chunk_has_end(server_version version) noexcept {
  return !version.precedes({5, 0, 1});
}

/// The target of one filter or document on one collection.
struct target {
  routing_class routing = routing_class::unknown;
  bounds_kind bounds = bounds_kind::none;
  reason why = reason::none;
  key_field_set missing{};  ///< fields that no predicate bounds
  key_hints hints{};
  bool is_pinned = false;  ///< an equality on the full key, recognised as such by mongos
  bool may_match_nothing = false;  ///< mongos may detect a contradiction and ask one shard
  bool asks_one = false;           ///< mongos asks one of the fan-out, not known which
  bytes_view point{};  ///< the encoded key if `bounds` is point and the key is known
  std::optional<shard_set> fanout{};  ///< empty: chunks are unknown
};

/// Computes the target from a filter's bounds (mongo: shard_key_pattern_query_util.cpp,
/// getShardIdsAndChunksForQuery, flattenBounds). Meaningless if the walk has a fault, which
/// this call may be the first to find.
[[nodiscard]] target target_of(filter_walk& walk, scratch& memory) noexcept;

/// The target of a document with the encoded key `key`.
[[nodiscard]] target target_of_key(const collection& on, bytes_view key,
                                   scratch& memory) noexcept;

/// All shards that own a chunk.
[[nodiscard]] std::optional<shard_set> all_owners(const collection& on,
                                                  scratch& memory) noexcept;

/// The owner of the first chunk, which is also asked when nothing can match.
[[nodiscard]] target first_owner(const collection& on, scratch& memory) noexcept;

/// The concatenated encodings of all key fields' values; empty if one can't be encoded.
[[nodiscard]] bytes_view encode_key(std::span<const wire::element> values, const collection& on,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
