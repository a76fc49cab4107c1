#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "sim/targeting/shard_key.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// An index into the list of the cluster's shards.
using shard_index = std::size_t;

/// A half-open range [min, max) of positions that one shard owns.
struct chunk {
  array min;
  array max;
  shard_index owner = 0;
  std::uint32_t major = 1;  ///< of its lastmod; incremented by moves
  std::uint32_t minor = 0;  ///< incremented by splits
  object_id id;
};

/// The chunks of one collection: sorted, without gaps, from MinKey to MaxKey.
class chunk_map {
 public:
  /// A single chunk that covers everything.
  chunk_map(const shard_key& key, shard_index owner);

  [[nodiscard]] const std::vector<chunk>& all() const noexcept { return chunks_; }
  [[nodiscard]] const chunk& at(const array& position) const noexcept;
  [[nodiscard]] std::set<shard_index> owners() const;

  /// Splits the chunk that contains `position`. False if a chunk begins there already.
  bool split(const array& position);

  /// Assigns the chunk that contains `position` to another shard.
  void move(const array& position, shard_index to);

  /// The owner of the chunk that contains `position`. MaxKey in every field is in the last
  /// chunk if `with_end`, otherwise in none.
  [[nodiscard]] std::optional<shard_index> owner_of(const array& position, bool with_end) const;

  /// Adds the owners of the chunks that overlap [from, to], whose end is included.
  void add_owners(const array& from, const array& to, bool with_end,
                  std::set<shard_index>& out) const;

 private:
  [[nodiscard]] std::size_t index_of(const array& position) const noexcept;

  std::vector<chunk> chunks_;
  std::uint32_t highest_major_ = 1;
  std::uint32_t highest_minor_ = 0;
};

}  // namespace scattergate::sim
