#include "telemetry/counters/namespace_registry.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "text/utf8.hpp"

namespace scattergate::telemetry {
namespace {

bool is_too_long(std::string_view database, std::string_view collection) noexcept {
  return database.size() > namespace_registry::max_name_bytes ||
         collection.size() > namespace_registry::max_name_bytes;
}

}  // namespace

namespace_registry::namespace_registry(std::size_t max_namespaces)
    : max_(max_namespaces),
      provisional_(std::make_unique<std::atomic<bool>[]>(capacity())),
      provisional_room_(max_ / provisional_share) {
  // Also prevents a collection with this name from duplicating the series.
  for (const std::string_view shared : {other_label, failed_label}) {
    static_cast<void>(insert({std::string{shared}, std::string{shared}}, false));
  }
}

std::optional<namespace_id> namespace_registry::find(std::string_view database,
                                                     std::string_view collection) const {
  if (is_too_long(database, collection)) return std::nullopt;
  const namespace_labels pair{text::to_plain(database), text::to_plain(collection)};
  const std::lock_guard lock{mutex_};
  const auto found = ids_.find(pair);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

namespace_id namespace_registry::admit(std::string_view database, std::string_view collection) {
  std::optional<namespace_id> id;
  const bool too_long = is_too_long(database, collection);
  namespace_labels pair;
  if (!too_long) pair = {text::to_plain(database), text::to_plain(collection)};
  const std::lock_guard lock{mutex_};
  if (!too_long) {
    id = insert(std::move(pair), false);
    if (!id) note_refused();
  }
  if (!id) ++overflow_;
  return id.value_or(other_namespace);
}

std::optional<namespace_id> namespace_registry::admit_provisional(std::string_view database,
                                                                  std::string_view collection) {
  if (is_too_long(database, collection)) return std::nullopt;
  namespace_labels pair{text::to_plain(database), text::to_plain(collection)};
  const std::lock_guard lock{mutex_};
  return insert(std::move(pair), true);
}

void namespace_registry::confirm(namespace_id id) {
  const std::lock_guard lock{mutex_};
  set_provisional(id, false);
  if (slots_[id].is == state::leaving) call_back(slots_[id]);
}

void namespace_registry::set_provisional(namespace_id id, bool value) noexcept {
  if (is_provisional(id) == value) return;
  provisional_[id].store(value, std::memory_order_relaxed);
  value ? ++provisional_count_ : --provisional_count_;
}

std::vector<namespace_id> namespace_registry::evictable() {
  const std::lock_guard lock{mutex_};
  std::uint64_t missing = refused_.exchange(0, std::memory_order_relaxed);
  std::vector<namespace_id> ids;
  for (namespace_id id = shared_namespaces; id < slots_.size() && missing != 0; ++id) {
    if (!is_provisional(id) || slots_[id].is != state::taken) continue;
    ids.push_back(id);
    --missing;
  }
  // So the namespaces that found no room get these places, not other strangers'.
  provisional_room_ -= std::min(provisional_room_, ids.size());
  return ids;
}

/// The id of a namespace, assigned if necessary; cancels its eviction. std::nullopt if there is
/// no room.
std::optional<namespace_id> namespace_registry::insert(namespace_labels pair,
                                                       bool is_provisional) {
  if (const auto found = ids_.find(pair); found != ids_.end()) {
    slot& known = slots_[found->second];
    if (known.is == state::leaving) call_back(known);
    if (!is_provisional) set_provisional(found->second, false);
    return found->second;
  }
  if (is_provisional && provisional_count_ >= provisional_room_) return std::nullopt;
  const auto id = free_id();
  if (!id) return std::nullopt;
  slots_[*id].name = pair;
  change(slots_[*id], state::taken);
  ids_.emplace(std::move(pair), *id);
  set_provisional(*id, is_provisional);
  return id;
}

std::optional<namespace_id> namespace_registry::free_id() {
  if (!free_.empty()) {
    const namespace_id id = free_.back();
    free_.pop_back();
    return id;
  }
  if (slots_.size() >= capacity()) return std::nullopt;
  slots_.emplace_back();
  return static_cast<namespace_id>(slots_.size() - 1);
}

void namespace_registry::change(slot& of, state to) {
  of.is = to;
  of.changed_at = version() + 1;
  if (to == state::taken) {
    if (changes_.size() > 2 * capacity()) {
      std::erase_if(changes_, [this](const change_note& note) { return !is_so(note); });
    }
    changes_.push_back({of.changed_at, static_cast<namespace_id>(&of - slots_.data())});
  }
  size_.store(to == state::taken ? size() + 1 : size() - 1, std::memory_order_release);
  version_.store(of.changed_at, std::memory_order_release);
}

std::vector<namespace_id> namespace_registry::ordinary() const {
  const std::lock_guard lock{mutex_};
  std::vector<namespace_id> ids;
  for (namespace_id id = shared_namespaces; id < slots_.size(); ++id) {
    if (slots_[id].is == state::taken) ids.push_back(id);
  }
  return ids;
}

void namespace_registry::leave(namespace_id id) {
  const std::lock_guard lock{mutex_};
  slot& leaving = slots_.at(id);
  if (leaving.is != state::taken || id < shared_namespaces) return;
  leaving.awaited = workers_;
  change(leaving, state::leaving);
}

/// Frees an id. No worker knows the namespace any more, so no change is recorded.
void namespace_registry::free(namespace_id id) {
  ids_.erase(slots_[id].name);
  if (!is_provisional(id)) {
    provisional_room_ = std::min(provisional_room_ + 1, max_ / provisional_share);
  }
  set_provisional(id, false);
  slots_[id] = {};
  free_.push_back(id);
  ++given_back_;
}

std::uint64_t namespace_registry::overflow_count() const {
  const std::lock_guard lock{mutex_};
  return overflow_;
}

std::uint64_t namespace_registry::evicted_count() const {
  const std::lock_guard lock{mutex_};
  return given_back_;
}

std::vector<namespace_registry::entry> namespace_registry::all() const {
  const std::lock_guard lock{mutex_};
  std::vector<entry> pairs;
  for (namespace_id id = 0; id < slots_.size(); ++id) {
    if (slots_[id].is != state::free) pairs.emplace_back(id, slots_[id].name);
  }
  return pairs;
}

void namespace_registry::add_worker() {
  const std::lock_guard lock{mutex_};
  ++workers_;
  // The evictions under way don't wait for the new worker, so they are cancelled.
  for (slot& each : slots_) {
    if (each.is == state::leaving) call_back(each);
  }
}

std::vector<namespace_registry::entry> namespace_registry::added_since(
    std::uint64_t& since) const {
  const std::lock_guard lock{mutex_};
  const auto first = std::ranges::upper_bound(changes_, since, {}, &change_note::version);
  std::vector<entry> pairs;
  for (const change_note& one : std::span{first, changes_.end()}) {
    if (is_so(one)) pairs.emplace_back(one.id, slots_[one.id].name);
  }
  since = version();
  return pairs;
}

}  // namespace scattergate::telemetry
