#include "routing/catalog/chunk_map.hpp"

#include <algorithm>

namespace scattergate::routing {

bool chunk_map::begins_at_or_below(std::size_t chunk, bytes_view key,
                                   std::uint64_t head) const noexcept {
  // Most steps are decided here, side by side in memory.
  if (heads_[chunk] != head) return heads_[chunk] < head;
  return compare_encoded(minimum(chunk), key) <= 0;
}

std::size_t chunk_map::chunk_of(bytes_view key) const noexcept {
  // The last chunk whose minimum is not above the key; the first one's minimum is MinKey.
  const std::uint64_t head = head_of(key);
  std::size_t chunk = 0;
  for (std::size_t count = size(); count > 1;) {
    const std::size_t half = count / 2;
    if (begins_at_or_below(chunk + half, key, head)) chunk += half;
    count -= half;
  }
  return chunk;
}

void chunk_map::add_owners(bytes_view low, bytes_view high, shard_set& to) const noexcept {
  if (is_empty()) return;
  const std::size_t first = chunk_of(low);
  const std::size_t last =
      low.data() == high.data() && low.size() == high.size() ? first : chunk_of(high);
  if (last < first) return;  // an inverted range meets nothing
  add_owners_between(first, last, to);
}

void chunk_map::add_owners_between(std::size_t first, std::size_t last,
                                   shard_set& to) const noexcept {
  if (first == 0 && last + 1 == size()) return to.unite(all_);
  if (last - first <= owner_starts_.size()) {  // not more of them than there are shards
    for (std::size_t chunk = first; chunk <= last; ++chunk) to.insert(owners_[chunk]);
    return;
  }
  for (std::size_t owner = 0; owner + 1 < owner_starts_.size(); ++owner) {
    const auto chunks = std::span{by_owner_}.subspan(
        owner_starts_[owner], owner_starts_[owner + 1] - owner_starts_[owner]);
    const auto met = std::ranges::lower_bound(chunks, first);
    if (met != chunks.end() && *met <= last) to.insert(owner);
  }
}

void chunk_map::index(std::size_t shard_count) {
  heads_.resize(size());
  for (std::size_t chunk = 0; chunk != size(); ++chunk) heads_[chunk] = head_of(minimum(chunk));
  all_.assign((shard_count + 63) / 64, 0);
  shard_set all{all_};
  // A counting sort: it keeps the positions of each owner in order.
  owner_starts_.assign(shard_count + 1, 0);
  for (const std::uint32_t owner : owners_) {
    all.insert(owner);
    ++owner_starts_[owner + 1];
  }
  for (std::size_t i = 0; i < shard_count; ++i) owner_starts_[i + 1] += owner_starts_[i];
  owner_count_ = all.size();
  std::vector<std::uint32_t> next(owner_starts_.begin(), owner_starts_.end() - 1);
  by_owner_.resize(owners_.size());
  for (std::uint32_t chunk = 0; chunk < owners_.size(); ++chunk) {
    by_owner_[next[owners_[chunk]]++] = chunk;
  }
}

}  // namespace scattergate::routing
