#include "config/cluster/live_catalog.hpp"

#include <condition_variable>
#include <mutex>
#include <random>
#include <utility>

#include "config/cluster/threads_left.hpp"

namespace scattergate::config {
namespace {

using clock = refresh_pacer::clock;

/// How long the destructor waits for a call to a mongos to return.
constexpr std::chrono::seconds patience{1};

catalog_state state_of(load_result result) {
  switch (result) {
    case load_result::changed:
    case load_result::unchanged:
      return catalog_state::live;
    case load_result::unreachable:
      return catalog_state::unreachable;
    case load_result::unauthorized:
      return catalog_state::unauthorized;
    case load_result::not_mongos:
      return catalog_state::not_mongos;
    case load_result::bad_uri:
      return catalog_state::bad_uri;
    case load_result::empty:
      return catalog_state::empty;
    case load_result::inconsistent:
      return catalog_state::inconsistent;
    case load_result::failed:
      break;
  }
  return catalog_state::failed;
}

load_result result_of_opening(mongo_failure failure) {
  return failure == mongo_failure::bad_uri ? load_result::bad_uri : load_result::unreachable;
}

}  // namespace

/// The state shared with the thread.
struct live_catalog::shared {
  shared(live_catalog_settings configured, live_catalog_events callbacks,
         std::shared_ptr<catalog_notes> requests, std::shared_ptr<catalog_facts> shared_facts)
      : settings(std::move(configured)),
        events(std::move(callbacks)),
        notes(std::move(requests)),
        facts(std::move(shared_facts)) {}

  live_catalog_settings settings;
  live_catalog_events events;
  std::shared_ptr<catalog_notes> notes;
  std::shared_ptr<catalog_facts> facts;
  cluster_mirror mirror{settings.bounds, *facts};
  std::unique_ptr<mongo_reader> reader;
  std::mutex gate;  // held while a callback runs
  bool is_left = false;
  std::mutex end_mutex;
  std::condition_variable ended;
  bool has_ended = false;

  /// Calls a callback, unless the destructor has begun.
  template <typename Event>
  void notify(Event event) {
    const std::lock_guard lock(gate);
    if (!is_left) event();
  }

  void run() {
    notify([this] { events.on_thread(); });
    refresh_pacer pacer{settings.refresh, clock::now(), std::random_device{}()};
    for (;;) {
      const load_trigger why = notes->await(pacer);
      if (notes->is_stopped()) break;
      facts->triggers[static_cast<std::size_t>(why)].fetch_add(1);
      const load_result result = load(pacer.depth_of(why));
      if (notes->is_stopped()) break;
      pacer.ended(why, result, clock::now());
    }
    reader.reset();
    const std::lock_guard lock(end_mutex);
    has_ended = true;
    ended.notify_all();
  }

  load_result load(load_depth depth) {
    const auto start = clock::now();
    const load_outcome outcome = load_now(depth);
    if (notes->is_stopped()) return outcome.result;
    const bool is_good = state_of(outcome.result) == catalog_state::live ||
                         outcome.result == load_result::inconsistent;
    if (is_good) {
      notes->settle();
      facts->note_success();
    } else {
      reader.reset();
    }
    facts->load_ns = (clock::now() - start).count();
    facts->loads[static_cast<std::size_t>(outcome.result)].fetch_add(1);
    facts->state = state_of(outcome.result);
    notify([&] { events.on_load(outcome); });
    return outcome.result;
  }

  load_outcome load_now(load_depth depth) {
    if (!reader) {
      auto opened = settings.open();
      if (!opened) {
        load_outcome failed;
        failed.result = result_of_opening(opened.error().kind);
        failed.detail = opened.error().text;
        return failed;
      }
      reader = std::move(*opened);
    }
    load_hooks hooks;
    hooks.publish = [this](std::shared_ptr<const routing::catalog> made) {
      notify([&] { events.on_catalog(std::move(made)); });
    };
    hooks.is_stopped = [this] { return notes->is_stopped(); };
    return mirror.load(*reader, depth, hooks);
  }
};

live_catalog::live_catalog(live_catalog_settings settings, live_catalog_events events,
                           std::shared_ptr<catalog_notes> notes,
                           std::shared_ptr<catalog_facts> facts)
    : shared_(std::make_shared<shared>(std::move(settings), std::move(events), std::move(notes),
                                       std::move(facts))) {
  shared_->facts->refresh_ms = shared_->settings.refresh.count();
  shared_->facts->state = catalog_state::loading;
  shared_->facts->fresh_at = clock::now();
  shared_->facts->is_live = true;
  thread_ = std::thread([shared = shared_] { shared->run(); });
}

live_catalog::~live_catalog() {
  {
    const std::lock_guard lock(shared_->gate);
    shared_->is_left = true;
  }
  shared_->notes->stop();
  std::unique_lock lock(shared_->end_mutex);
  const bool has_ended =
      shared_->ended.wait_for(lock, patience, [this] { return shared_->has_ended; });
  lock.unlock();
  if (has_ended) {
    thread_.join();
  } else {
    threads_left.fetch_add(1);
    thread_.detach();
  }
}

}  // namespace scattergate::config
