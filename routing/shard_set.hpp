#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::routing {

/// A set of shards: bit i stands for catalog::shards()[i]. A view: the scratch memory or the
/// catalog owns the words. Thread-safety: as for the owner of the words.
class shard_set {
 public:
  shard_set() = default;
  explicit shard_set(std::span<std::uint64_t> words) noexcept : words_(words) {}

  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }

  /// Adds a shard. REQUIRES: the set was created for a catalog with more than `shard` shards.
  void insert(std::size_t shard) noexcept {
    words_[shard / 64] |= std::uint64_t{1} << (shard % 64);
  }
  [[nodiscard]] bool contains(std::size_t shard) const noexcept {
    return ((words_[shard / 64] >> (shard % 64)) & 1U) != 0;
  }
  [[nodiscard]] std::size_t size() const noexcept;  ///< the number of shards in the set
  void clear() noexcept;
  void unite(std::span<const std::uint64_t> other) noexcept;

 private:
  std::span<std::uint64_t> words_;
};

}  // namespace scattergate::routing
