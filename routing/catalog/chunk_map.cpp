#include "routing/catalog/chunk_map.hpp"

#include <algorithm>

namespace scattergate::routing {

// How the owners of a range of chunks are found. index() lists each owner's chunks in order,
// one owner after the other; owner_starts_ says where each list begins. Five chunks on two
// shards:
//
//   chunk          0  1  2  3  4
//   owners_        0  1  0  0  1
//   by_owner_      0  2  3 | 1  4      shard 0's chunks, shard 1's chunks
//   owner_starts_  0         3     5
//
// Does shard 1 own one of the chunks 2 to 3? The first of its chunks that isn't below 2 is 4,
// which is above 3: no. The first such chunk of shard 0 is 2: yes. So each shard takes one
// binary search, however many chunks the range has. add_owners_between() does this only for
// ranges that have more chunks than there are shards; for others it visits the chunks.

bool chunk_map::begins_at_or_below(std::size_t chunk, bytes_view key,
                                   std::uint64_t head) const noexcept {
  // Decides most steps of the search: the heads are adjacent in memory.
  if (heads_[chunk] != head) return heads_[chunk] < head;
  return compare_encoded(minimum(chunk), key) <= 0;
}

std::size_t chunk_map::chunk_of(bytes_view key) const noexcept {
  // Binary search. Invariant: minimum(chunk) is at or below the key, and the chunk to find is
  // in [chunk, chunk + count). It holds at the start, as the first minimum is MinKey.
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
  if (last < first) return;  // an inverted range intersects no chunk
  add_owners_between(first, last, to);
}

void chunk_map::add_owners_between(std::size_t first, std::size_t last,
                                   shard_set& to) const noexcept {
  if (first == 0 && last + 1 == size()) return to.unite(all_);
  if (last - first <= owner_starts_.size()) {  // few chunks: visit each
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
  // A counting sort, which keeps each owner's chunks in order.
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
