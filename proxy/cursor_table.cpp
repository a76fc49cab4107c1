#include "proxy/cursor_table.hpp"

#include <algorithm>

namespace scattergate::proxy {
namespace {

/// Spreads ids that a server may well count upwards (the finaliser of splitmix64).
std::uint64_t mixed(std::int64_t id) noexcept {
  auto x = static_cast<std::uint64_t>(id);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

cursor_table::cursor_table() : shards_(std::make_unique<std::array<shard, shard_count>>()) {}
cursor_table::~cursor_table() = default;

cursor_table::place cursor_table::place_of(std::int64_t cursor_id) const noexcept {
  const std::uint64_t hash = mixed(cursor_id);
  shard& owner = (*shards_)[hash % shard_count];
  return {owner, owner.sets[(hash / shard_count) % sets_per_shard]};
}

void cursor_table::remember(std::int64_t cursor_id, const cursor_origin& origin) {
  const place at = place_of(cursor_id);
  const std::lock_guard lock(at.owner.mutex);
  auto slot = std::find_if(at.set.begin(), at.set.end(),
                           [&](const entry& e) { return e.id == cursor_id; });
  if (slot == at.set.end()) {
    slot = std::find_if(at.set.begin(), at.set.end(), [](const entry& e) { return e.id == 0; });
    if (slot == at.set.end()) {
      slot = at.set.begin() + at.owner.next_victim++ % ways;
      evictions_.fetch_add(1, std::memory_order_relaxed);
    } else {
      size_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  *slot = {cursor_id, origin};
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
