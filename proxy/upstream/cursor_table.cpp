#include "proxy/upstream/cursor_table.hpp"

#include <algorithm>

#include "wire/seeded_hash.hpp"

namespace scattergate::proxy {

cursor_table::cursor_table() : shards_(std::make_unique<std::array<shard, shard_count>>()) {}
cursor_table::~cursor_table() = default;

cursor_table::place cursor_table::place_of(std::int64_t cursor_id) const noexcept {
  const std::uint64_t hash = wire::seeded_hash(static_cast<std::uint64_t>(cursor_id), 0);
  shard& owner = (*shards_)[hash % shard_count];
  return {owner, owner.sets[(hash / shard_count) % sets_per_shard]};
}

/// The entry to evict from a full set, to make room for a cursor of the connection `bringing`.
cursor_table::entry& cursor_table::victim_of(shard& owner, entry_set& set,
                                             std::uint32_t bringing) noexcept {
  std::size_t chosen = 0;
  std::ptrdiff_t most = 0;
  for (std::size_t i = 0; i < ways; ++i) {
    const std::size_t at = (owner.next_victim + i) % ways;
    const auto is_its = [&](const entry& e) { return e.owner == set[at].owner; };
    const auto has =
        std::count_if(set.begin(), set.end(), is_its) + (set[at].owner == bringing ? 1 : 0);
    if (has > most) {
      most = has;
      chosen = at;
    }
  }
  ++owner.next_victim;
  return set[chosen];
}

void cursor_table::remember(std::int64_t cursor_id, const cursor_origin& origin,
                            std::uint64_t owner) {
  const auto bringing = static_cast<std::uint32_t>(owner);
  const place at = place_of(cursor_id);
  const std::lock_guard lock(at.owner.mutex);
  auto* slot = std::find_if(at.set.begin(), at.set.end(),
                            [&](const entry& e) { return e.id == cursor_id; });
  if (slot == at.set.end()) {
    slot = std::find_if(at.set.begin(), at.set.end(), [](const entry& e) { return e.id == 0; });
    if (slot == at.set.end()) {
      slot = &victim_of(at.owner, at.set, bringing);
      evictions_.fetch_add(1, std::memory_order_relaxed);
    } else {
      size_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  *slot = {cursor_id, origin, bringing};
}

std::optional<cursor_origin> cursor_table::find(std::int64_t cursor_id) const {
  const place at = place_of(cursor_id);
  const std::lock_guard lock(at.owner.mutex);
  for (const entry& e : at.set) {
    if (e.id == cursor_id) return e.origin;
  }
  return std::nullopt;
}

void cursor_table::forget(std::int64_t cursor_id) {
  const place at = place_of(cursor_id);
  const std::lock_guard lock(at.owner.mutex);
  for (entry& e : at.set) {
    if (e.id != cursor_id) continue;
    e = {};
    size_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
}

}  // namespace scattergate::proxy
