#pragma once

#include <optional>

#include "routing/bounds/filter_walk.hpp"
#include "routing/verdict.hpp"

namespace scattergate::routing {

/// Whether the last chunk holds MaxKey in every field. In 4.4, and in a recorded 5.0, chunks
/// end before it: no chunk holds that key, and nothing can be written there (mongo:
/// chunk_manager.cpp, findIntersectingChunk; later ChunkMap::findIntersectingChunk).
[[nodiscard]] constexpr bool last_chunk_has_end(server_version version) noexcept {
  return !version.precedes({5, 0, 1});
}

/// Where one filter, or one document, leads on one collection.
struct target {
  routing_class routing = routing_class::unknown;
  bounds_kind bounds = bounds_kind::none;
  reason why = reason::none;
  key_field_set missing{};  ///< that no predicate bounds
  key_hints hints{};
  bool is_pinned = false;          ///< equality on the full key, taken as such by mongos
  bool may_match_nothing = false;  ///< mongos may see a contradiction, and ask one shard
  bool asks_one = false;           ///< mongos asks one of the fan-out; which isn't certain
  bytes_view point{};              ///< the encoded key where `bounds` is point and it is known
  std::optional<shard_set> fanout{};  ///< none where chunks aren't known
};

/// From a filter's bounds to shards (mongo: shard_key_pattern_query_util.cpp,
/// getShardIdsAndChunksForQuery, flattenBounds). Meaningless where the walk has a fault, which
/// this may be the first to find.
[[nodiscard]] target target_of(filter_walk& walk, scratch& memory) noexcept;

/// Where the document with the encoded key `key` lives.
[[nodiscard]] target target_of_key(const collection& on, bytes_view key,
                                   scratch& memory) noexcept;

/// Every shard that owns a chunk, for what is asked of all of them.
[[nodiscard]] std::optional<shard_set> all_owners(const collection& on,
                                                  scratch& memory) noexcept;

/// The shard of the first chunk, where what matches nothing goes, too.
[[nodiscard]] target first_owner(const collection& on, scratch& memory) noexcept;

/// The values of all key fields, encoded end to end; empty where one can't be.
[[nodiscard]] bytes_view encode_key(std::span<const wire::element> values, const collection& on,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
