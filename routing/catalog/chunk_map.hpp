#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/keys/key_encoding.hpp"
#include "routing/shard_set.hpp"

namespace scattergate::routing {

/// The chunks of one collection, and the shards that own them. Chunks are half-open ranges
/// [min, max) of encoded shard keys, sorted. They cover MinKey to MaxKey without gaps; the last
/// chunk includes MaxKey. Thread-safety: immutable once built.
class chunk_map {
 public:
  /// Whether the chunks are unknown.
  [[nodiscard]] bool is_empty() const noexcept { return owners_.empty(); }
  /// The number of chunks.
  [[nodiscard]] std::size_t size() const noexcept { return owners_.size(); }

  /// The position of the chunk that contains `key`, an encoded whole key. O(log n). REQUIRES:
  /// the chunks are known (!is_empty()).
  [[nodiscard]] std::size_t chunk_of(bytes_view key) const noexcept;

  /// The position of the chunk's owner in catalog::shards().
  [[nodiscard]] std::uint32_t owner(std::size_t chunk) const noexcept { return owners_[chunk]; }

  /// The encoded minimum of a chunk.
  [[nodiscard]] bytes_view minimum(std::size_t chunk) const noexcept {
    return bytes_view{bounds_}.subspan(offsets_[chunk], offsets_[chunk + 1] - offsets_[chunk]);
  }

  /// Adds the owners of all chunks that intersect [low, high] to `to`. At most O(owners * log
  /// n), however many chunks intersect. REQUIRES: low and high are encoded whole keys.
  void add_owners(bytes_view low, bytes_view high, shard_set& to) const noexcept;

  /// All shards that own a chunk, as words of a shard_set.
  [[nodiscard]] std::span<const std::uint64_t> all_owners() const noexcept { return all_; }
  /// The number of shards that own a chunk.
  [[nodiscard]] std::size_t owner_count() const noexcept { return owner_count_; }

 private:
  friend class catalog_builder;
  friend class chunk_list;
  std::vector<std::byte> bounds_;        // the encoded minimum of each chunk, concatenated
  std::vector<std::uint32_t> offsets_;   // the start of each minimum in bounds_; the last entry
                                         // is the end of bounds_
  std::vector<std::uint64_t> heads_;     // head_of() of each minimum, for faster searching
  std::vector<std::uint32_t> owners_;    // positions in catalog::shards()
  std::vector<std::uint64_t> all_;       // all owners, as shard_set words
  std::vector<std::uint32_t> by_owner_;  // the chunks, sorted by owner, then position
  std::vector<std::uint32_t> owner_starts_;  // the start of each owner's chunks in by_owner_;
                                             // the last entry is the end of by_owner_
  std::size_t owner_count_ = 0;

  /// Computes all other members from bounds_, offsets_ and owners_.
  void index(std::size_t shard_count);

  [[nodiscard]] bool begins_at_or_below(std::size_t chunk, bytes_view key,
                                        std::uint64_t head) const noexcept;
  void add_owners_between(std::size_t first, std::size_t last, shard_set& to) const noexcept;
};

}  // namespace scattergate::routing
