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

/// A chunk: a half-open range [min, max) of key positions, which one shard owns.
struct chunk {
  array min;
  array max;
  shard_index owner = 0;
  std::uint32_t major = 1;  ///< the major part of its version (lastmod), which moves increment
  std::uint32_t minor = 0;  ///< the minor part, which splits increment
  object_id id;
};

/// The chunks of one collection: sorted, without gaps, from MinKey to MaxKey.
class chunk_map {
 public:
  /// Creates a single chunk that covers the whole key space.
  chunk_map(const shard_key& key, shard_index owner);

  [[nodiscard]] const std::vector<chunk>& all() const noexcept { return chunks_; }
  /// The chunk that contains `position`.
  [[nodiscard]] const chunk& at(const array& position) const noexcept;
  /// All shards that own a chunk.
  [[nodiscard]] std::set<shard_index> owners() const;

  /// Splits the chunk that contains `position` there. False if a chunk already begins at
  /// `position`.
  bool split(const array& position);

  /// Assigns the chunk that contains `position` to another shard.
  void move(const array& position, shard_index to);

  /// The owner of the chunk that contains `position`. If `position` is MaxKey in every field,
  /// this is the last chunk if `with_end`, and none (std::nullopt) otherwise.
  [[nodiscard]] std::optional<shard_index> owner_of(const array& position, bool with_end) const;

  /// Adds the owners of all chunks that overlap [from, to], including both ends, to `out`.
  /// `with_end`: as in owner_of().
  void add_owners(const array& from, const array& to, bool with_end,
                  std::set<shard_index>& out) const;

 private:
  [[nodiscard]] std::size_t index_of(const array& position) const noexcept;

  std::vector<chunk> chunks_;
  std::uint32_t highest_major_ = 1;
  std::uint32_t highest_minor_ = 0;
};

}  // namespace scattergate::sim
