#include "config/cluster/catalog_notes.hpp"

#include <algorithm>
#include <utility>

#include "wire/namespace_view.hpp"

namespace scattergate::config {
namespace {

/// The maximum number of namespaces that are remembered as not sharded.
constexpr std::size_t most_settled = 16'384;

/// The maximum number of reported namespaces that one load settles. A load reads all
/// collections anyway; further namespaces are reported again.
constexpr std::size_t most_asked = 1'024;

/// How long after a command's reply to load again, if its change goes on.
constexpr std::chrono::seconds further_load_after{2};

}  // namespace

void catalog_notes::note_change(metadata_change change) {
  {
    const std::lock_guard lock(mutex_);
    requests_.ddl = true;
    if (change.goes_on) again_ = clock::now() + further_load_after;
    focus_.add({change.database, change.collection});
    change.known_from = begun_ + 1;
    const std::uint64_t before = changes_.load(std::memory_order_relaxed);
    latest_[before % most_changes] = std::move(change);
    changes_.store(before + 1, std::memory_order_release);
  }
  changed_.notify_one();
}

std::vector<metadata_change> catalog_notes::changes_since(std::uint64_t& seen) const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t all = changes_.load(std::memory_order_relaxed);
  std::vector<metadata_change> found;
  if (all - seen > most_changes) {
    found.emplace_back().known_from = begun_ + 1;
    seen = all;
  }
  for (; seen != all; ++seen) found.push_back(latest_[seen % most_changes]);
  return found;
}

std::uint64_t catalog_notes::request_load(const load_focus& names) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    requests_.awaited = true;
    focus_.add(names);
    number = begun_ + 1;
  }
  changed_.notify_one();
  return number;
}

void catalog_notes::note_unknown(std::string_view database, std::string_view name) {
  const std::size_t hash = wire::seeded_hash(wire::namespace_view{database, name});
  {
    const std::lock_guard lock(mutex_);
    if (settled_.contains(hash)) return;
    if (asked_.size() < most_asked) asked_.insert(hash);
    if (std::exchange(requests_.name_space, true)) return;
  }
  changed_.notify_one();
}

void catalog_notes::force() {
  {
    const std::lock_guard lock(mutex_);
    requests_.forced = true;
  }
  changed_.notify_one();
}

void catalog_notes::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
}

bool catalog_notes::is_stopped() const {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

std::size_t catalog_notes::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_.size();
}

load_order catalog_notes::await(const refresh_pacer& pacer) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (again_ && *again_ <= clock::now()) {
      again_.reset();
      requests_.ddl = true;
    }
    const refresh_pacer::turn turn = pacer.next(requests_);
    if (is_stopped_ || turn.at <= clock::now()) {
      // Every load reads the list of collections, and all but the shallowest read the chunks.
      requests_.name_space = false;
      if (turn.why != load_trigger::name_space) requests_ = {};
      asking_ = std::exchange(asked_, {});
      return {turn.why, ++begun_, std::exchange(focus_, {})};
    }
    changed_.wait_until(lock, again_ ? std::min(turn.at, *again_) : turn.at);
  }
}

void catalog_notes::settle() {
  const std::lock_guard lock(mutex_);
  for (const std::size_t hash : asking_) remember(hash);
  asking_.clear();
}

void catalog_notes::remember(std::size_t hash) {
  if (!settled_.insert(hash).second) return;
  settled_order_.push_back(hash);
  if (settled_order_.size() <= most_settled) return;
  settled_.erase(settled_order_.front());
  settled_order_.pop_front();
}

}  // namespace scattergate::config
