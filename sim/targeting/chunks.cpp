#include "sim/targeting/chunks.hpp"

#include <algorithm>

#include "sim/values/compare.hpp"
#include "sim/values/identity.hpp"

namespace scattergate::sim {

chunk_map::chunk_map(const shard_key& key, shard_index owner) {
  chunk whole;
  whole.min = key.lowest();
  whole.max = key.highest();
  whole.owner = owner;
  whole.id = new_object_id();
  chunks_.push_back(std::move(whole));
}

std::size_t chunk_map::index_of(const array& position) const noexcept {
  const auto after = std::upper_bound(
      chunks_.begin(), chunks_.end(), position,
      [](const array& key, const chunk& each) { return compare(key, each.min) < 0; });
  return static_cast<std::size_t>(after - chunks_.begin()) - 1;
}

const chunk& chunk_map::at(const array& position) const noexcept {
  return chunks_[index_of(position)];
}

std::set<shard_index> chunk_map::owners() const {
  std::set<shard_index> out;
  for (const chunk& each : chunks_) out.insert(each.owner);
  return out;
}

bool chunk_map::split(const array& position) {
  const std::size_t index = index_of(position);
  if (compare(chunks_[index].min, position) == 0) return false;
  chunk upper = chunks_[index];
  upper.min = position;
  upper.id = new_object_id();
  upper.major = chunks_[index].major = highest_major_;
  chunks_[index].minor = ++highest_minor_;
  upper.minor = ++highest_minor_;
  chunks_[index].max = position;
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
  return true;
}

void chunk_map::move(const array& position, shard_index to) {
  chunk& moved = chunks_[index_of(position)];
  if (moved.owner == to) return;
  moved.owner = to;
  moved.major = ++highest_major_;
  moved.minor = highest_minor_ = 0;
}

std::optional<shard_index> chunk_map::owner_of(const array& position, bool with_end) const {
  if (!with_end && compare(position, chunks_.back().max) >= 0) return std::nullopt;
  return at(position).owner;
}

void chunk_map::add_owners(const array& from, const array& to, bool with_end,
                           std::set<shard_index>& out) const {
  if (!with_end && compare(from, chunks_.back().max) >= 0) return;
  for (std::size_t i = index_of(from); i < chunks_.size(); ++i) {
    if (compare(chunks_[i].min, to) > 0) return;
    out.insert(chunks_[i].owner);
  }
}

}  // namespace scattergate::sim
