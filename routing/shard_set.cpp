#include "routing/shard_set.hpp"

#include <algorithm>
#include <bit>

namespace scattergate::routing {

std::size_t shard_set::size() const noexcept {
  std::size_t count = 0;
  for (const std::uint64_t word : words_)
    count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

void shard_set::clear() noexcept {
  std::ranges::fill(words_, 0);
}

void shard_set::unite(std::span<const std::uint64_t> other) noexcept {
  const std::size_t common = std::min(words_.size(), other.size());
  for (std::size_t i = 0; i < common; ++i) words_[i] |= other[i];
}

}  // namespace scattergate::routing
