#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::routing {

/// A set of shards: bit i stands for catalog::shards()[i]. A view: the scratch memory or the
/// catalog owns the words. Thread-safety: as for the owner of the words.
class shard_set {
 public:
  /// A set without words, which can't contain any shard.
  shard_set() = default;
  /// A view of `words`, which must outlive this object.
  explicit shard_set(std::span<std::uint64_t> words) noexcept : words_(words) {}

  /// The bits of the set: bit i % 64 of word i / 64 stands for shard i.
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }

  /// Adds a shard. REQUIRES: words() has a bit for it.
  void insert(std::size_t shard) noexcept {
    words_[shard / 64] |= std::uint64_t{1} << (shard % 64);
  }
  /// Whether the set contains a shard. REQUIRES: words() has a bit for it.
  [[nodiscard]] bool contains(std::size_t shard) const noexcept {
    return ((words_[shard / 64] >> (shard % 64)) & 1U) != 0;
  }
  [[nodiscard]] std::size_t size() const noexcept;  ///< the number of shards in the set
  /// Removes all shards from the set.
  void clear() noexcept;
  /// Adds the shards of another set, given as its words(). Ignores words beyond this set's.
  /// REQUIRES: the bits of both sets stand for shards of the same catalog.
  void unite(std::span<const std::uint64_t> other) noexcept;

 private:
  std::span<std::uint64_t> words_;
};

}  // namespace scattergate::routing
