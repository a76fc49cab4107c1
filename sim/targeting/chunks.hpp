#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "sim/targeting/shard_key.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The position of a shard in the cluster's list of shards.
using shard_index = std::size_t;

/// A chunk: a half-open range [min, max) of the key space, which one shard owns. A position in
/// the key space has a value for each field of the shard key.
struct chunk {
  array min;
  array max;
  shard_index owner = 0;
  std::uint32_t major = 1;  ///< first part of the chunk's version (lastmod); a move raises it
                            ///< above that of all other chunks
  /// Second part of the chunk's version (lastmod). A split raises it in both new chunks; a move
  /// sets it to 0.
  std::uint32_t minor = 0;
  object_id id;
};

/// The chunks of one collection: sorted, without gaps, from MinKey to MaxKey.
class chunk_map {
 public:
  /// Creates a single chunk that covers the whole key space.
  chunk_map(const shard_key& key, shard_index owner);

  /// All chunks, sorted by position.
  [[nodiscard]] const std::vector<chunk>& all() const noexcept { return chunks_; }
  /// The chunk that contains `position`; the last chunk for MaxKey in every field.
  [[nodiscard]] const chunk& at(const array& position) const noexcept;
  /// All shards that own a chunk.
  [[nodiscard]] std::set<shard_index> owners() const;

  /// Splits the chunk that contains `position` at `position`. Returns false if a chunk already
  /// begins there.
  bool split(const array& position);

  /// Assigns the chunk that contains `position` to the shard `to`. Does nothing if the shard
  /// owns it already.
  void move(const array& position, shard_index to);

  /// The owner of the chunk that contains `position`. The position with MaxKey in every field
  /// is the end of the key space. `with_end`: the last chunk contains it, too; if false,
  /// returns std::nullopt for it.
  [[nodiscard]] std::optional<shard_index> owner_of(const array& position, bool with_end) const;

  /// Adds the owners of all chunks that overlap [from, to], including both ends, to `out`.
  /// `with_end`: the last chunk also contains the position with MaxKey in every field.
  void add_owners(const array& from, const array& to, bool with_end,
                  std::set<shard_index>& out) const;

 private:
  [[nodiscard]] std::size_t index_of(const array& position) const noexcept;

  std::vector<chunk> chunks_;
  std::uint32_t highest_major_ = 1;
  std::uint32_t highest_minor_ = 0;
};

}  // namespace scattergate::sim
