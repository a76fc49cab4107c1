#pragma once

#include <optional>
#include <span>

#include "routing/bounds/filter_walk.hpp"
#include "routing/catalog/chunk_map.hpp"
#include "routing/keys/interval.hpp"
#include "routing/verdict.hpp"

namespace scattergate::routing {

/// Adds to `to` the shards that own chunks within the bounds of a key. `fields`: the bounds of
/// each key field. Expands the bounds to ranges of keys as mongos does: the first field that
/// isn't a single point gives one range per interval. Later fields only move the ranges' ends
/// (mongo: shard_key_pattern_query_util.cpp, flattenBounds). Example: range_expansion.cpp.
///
/// `with_end`: whether the last chunk contains the key whose fields are all MaxKey. Returns
/// false, and adds nothing, if the scratch memory is exhausted. REQUIRES: no set of `fields` is
/// empty.
[[nodiscard]] bool add_owners_of(std::span<const interval_set> fields, const chunk_map& chunks,
                                 bool with_end, shard_set& to, scratch& memory) noexcept;

/// Whether all fields of an encoded key are MaxKey. `fields`: the number of fields.
[[nodiscard]] bool is_end_of_all(bytes_view key, std::size_t fields) noexcept;

/// The encoded key whose fields are the single points of `fields`; empty if the scratch memory
/// is exhausted. REQUIRES: each set is one point.
[[nodiscard]] bytes_view point_of(std::span<const interval_set> fields,
                                  scratch& memory) noexcept;

/// Whether the last chunk contains the key whose fields are all MaxKey. In 4.4 and 5.0.0, no
/// chunk contains this key, and documents with it can't be written (recorded from 4.4 and a
/// pre-release of 5.0 in tests/real; mongo: chunk_manager.cpp, findIntersectingChunk; in newer
/// sources ChunkMap::findIntersectingChunk).
[[nodiscard]] constexpr bool last_chunk_has_end(server_version version) noexcept {
  return !version.precedes({5, 0, 1});
}

/// The shards to which mongos sends a query or write on one collection, and why. Determined by
/// a filter or by a document to insert.
struct target {
  routing_class routing = routing_class::unknown;  ///< how many shards mongos asks
  bounds_kind bounds = bounds_kind::none;          ///< how far the filter limits the key
  reason why = reason::none;                       ///< why `routing` isn't single_shard
  key_field_set missing{};                         ///< key fields without a predicate; the
                                                   ///< first field, too, if `bounds` is full
  key_hints hints{};                               ///< facts for advice
  bool is_pinned = false;          ///< mongos finds the shard by an equality on each key field,
                                   ///< or by a document's key, instead of by bounds
  bool may_match_nothing = false;  ///< mongos may detect a contradiction, and then asks only
                                   ///< the first chunk's owner
  /// mongos asks only one shard of `fanout`, but it isn't known which.
  bool asks_one_of_fanout = false;
  bytes_view point{};  ///< the encoded key if `bounds` is point; empty if it isn't known
  std::optional<shard_set> fanout{};  ///< the shards; std::nullopt: the chunks are unknown, or
                                      ///< the scratch memory is exhausted
};

/// Computes the target of a filter from the bounds of `walk`, to which the whole filter was
/// added (mongo: shard_key_pattern_query_util.cpp, getShardIdsAndChunksForQuery,
/// flattenBounds). May call walk.finish(). The result is valid only if walk.fault() is `none`
/// afterwards.
[[nodiscard]] target target_of(filter_walk& walk, scratch& memory) noexcept;

/// The target of a document whose encoded shard key is `key`, such as a document to insert.
[[nodiscard]] target target_of_key(const collection& on, bytes_view key,
                                   scratch& memory) noexcept;

/// All shards that own a chunk; std::nullopt if chunks are unknown or the scratch memory is
/// exhausted.
[[nodiscard]] std::optional<shard_set> all_owners(const collection& on,
                                                  scratch& memory) noexcept;

/// A target that consists of the first chunk's owner. mongos asks this shard if no document
/// can match.
[[nodiscard]] target first_owner(const collection& on, scratch& memory) noexcept;

/// Encodes a whole key: concatenates the encodings of all fields' values. Empty if one can't be
/// encoded.
[[nodiscard]] bytes_view encode_key(std::span<const wire::element> values, const collection& on,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
