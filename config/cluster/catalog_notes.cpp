#include "config/cluster/catalog_notes.hpp"

#include <algorithm>
#include <utility>

#include "wire/namespace_view.hpp"

namespace scattergate::config {

namespace {

using std::chrono::milliseconds;

/// A thousand daemons that start at once spread their first load over this time.
constexpr milliseconds first_load_within{500};

constexpr milliseconds least_retry{500};
constexpr milliseconds least_ddl_gap{100};
constexpr milliseconds most_ddl_gap{5'000};
constexpr milliseconds least_unknown_gap{1'000};

/// While DDL continues, the loads that it causes take at most about one in this many parts of
/// the time.
constexpr int ddl_share = 10;

/// One in this many loads by the timer is thorough.
constexpr unsigned thorough_every = 10;

bool is_failure(load_result result) {
  // `inconsistent` isn't a failure: contradictory chunks concern only their collection.
  return result != load_result::changed && result != load_result::unchanged &&
         result != load_result::inconsistent;
}

}  // namespace

refresh_pacer::refresh_pacer(milliseconds interval, clock::time_point now, std::uint64_t seed)
    : interval_(interval),
      random_(seed),
      ddl_from_(now),
      unknown_from_(now),
      awaited_from_(now),
      unknown_gap_(least_unknown_gap) {
  regular_ = now + jittered(std::min(first_load_within, interval), 0.0, 1.0);
}

refresh_pacer::duration refresh_pacer::jittered(duration about, double least, double most) {
  std::uniform_real_distribution<double> factor{least, most};
  return std::chrono::duration_cast<duration>(about * factor(random_));
}

refresh_pacer::turn refresh_pacer::next(const refresh_requests& requests) const {
  if (requests.forced) return {clock::time_point::min(), load_trigger::signal};
  turn found{regular_, regular_why_};
  if (requests.awaited && awaited_from_ < found.at) {
    return {awaited_from_, failures_ != 0 ? load_trigger::retry : load_trigger::command};
  }
  // While loads fail, clients' requests wait for the cluster to recover.
  if (failures_ != 0 || regular_why_ == load_trigger::start) return found;
  if (requests.ddl && ddl_from_ < found.at) found = {ddl_from_, load_trigger::ddl};
  if (requests.name_space && unknown_from_ < found.at) {
    // A load must answer all requests that precede it, and DDL requests more.
    found = {unknown_from_, requests.ddl ? load_trigger::ddl : load_trigger::name_space};
  }
  return found;
}

load_depth refresh_pacer::depth_of(load_trigger why) {
  switch (why) {
    case load_trigger::signal:
      return load_depth::everything;
    case load_trigger::start:
    case load_trigger::retry:
      return load_depth::thorough;
    case load_trigger::name_space:
      return load_depth::collections;
    case load_trigger::ddl:
    case load_trigger::command:
      return load_depth::chunks;
    case load_trigger::timer:
      break;
  }
  return ++loads_ % thorough_every == 0 ? load_depth::thorough : load_depth::chunks;
}

void refresh_pacer::ended(load_trigger why, load_result result, clock::time_point now,
                          std::chrono::nanoseconds took) {
  if (is_failure(result)) {
    const auto doubled = least_retry * (1U << std::min(failures_++, 16U));
    regular_ = now + jittered(std::min<duration>(doubled, interval_), 0.75, 1.25);
    regular_why_ = load_trigger::retry;
    awaited_from_ = now + least_retry;
    return;
  }
  failures_ = 0;
  regular_ = now + jittered(interval_, 0.9, 1.1);
  regular_why_ = load_trigger::timer;
  if (why == load_trigger::ddl) {
    ddl_from_ = now + std::clamp<duration>(ddl_share * took, least_ddl_gap, most_ddl_gap);
  }
  if (why == load_trigger::name_space && result != load_result::changed) {
    unknown_from_ = now + jittered(unknown_gap_, 1.0, 1.5);
    unknown_gap_ = std::min<duration>(2 * unknown_gap_, interval_);
  } else if (why == load_trigger::name_space) {
    unknown_gap_ = least_unknown_gap;
    unknown_from_ = now + jittered(unknown_gap_, 1.0, 1.5);
  } else if (why == load_trigger::timer && unknown_from_ + interval_ < now) {
    unknown_gap_ = least_unknown_gap;
  }
}

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
