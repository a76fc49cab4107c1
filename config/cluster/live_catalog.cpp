#include "config/cluster/live_catalog.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace scattergate::config {
namespace {

using clock = refresh_pacer::clock;

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

live_catalog::live_catalog(live_catalog_settings settings, live_catalog_events events,
                           std::shared_ptr<catalog_notes> notes,
                           std::shared_ptr<catalog_facts> facts)
    : settings_(std::move(settings)),
      events_(std::move(events)),
      notes_(std::move(notes)),
      facts_(std::move(facts)),
      mirror_(settings_.bounds, *facts_) {
  facts_->refresh_ms = settings_.refresh.count();
  facts_->state = catalog_state::loading;
  facts_->fresh_at = clock::now();
  facts_->is_live = true;
  thread_ = std::thread([this] { run(); });
}

live_catalog::~live_catalog() {
  notes_->stop();
  {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
  }
  thread_.join();
}

void live_catalog::restart() {
  {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
  }
  notes_->force();
}

void live_catalog::run() {
  events_.on_thread();
  refresh_pacer pacer{settings_.refresh, clock::now(), std::random_device{}()};
  for (;;) {
    load_order order = notes_->await(pacer);
    if (notes_->is_stopped()) break;
    const load_trigger why = order.why;
    facts_->triggers[static_cast<std::size_t>(why)].fetch_add(1);
    const auto start = clock::now();
    const load_result result = load(std::move(order), pacer.depth_of(why));
    if (notes_->is_stopped()) break;
    const auto end = clock::now();
    pacer.ended(why, result, end, end - start);
  }
  reader_.reset();  // on this thread, with which its process ends
}

bool live_catalog::must_end_load() const {
  return notes_->is_stopped() || stop_now_.stop_requested();
}

load_result live_catalog::load(load_order order, load_depth depth) {
  const auto start = clock::now();
  focus_.add(order.focus);  // to what failed loads have left
  if (focus_.is_all()) depth = std::max(depth, load_depth::thorough);
  load_outcome outcome = load_now(depth);
  outcome.number = order.number;
  // A load that was ended on purpose says nothing about mongos.
  if (must_end_load()) return outcome.result;
  const bool is_good = state_of(outcome.result) == catalog_state::live ||
                       outcome.result == load_result::inconsistent;
  if (is_good) {
    focus_ = {};
    notes_->settle();
    facts_->note_success();
  } else {
    reader_.reset();
  }
  facts_->load_ns = (clock::now() - start).count();
  facts_->loads[static_cast<std::size_t>(outcome.result)].fetch_add(1);
  facts_->state = state_of(outcome.result);
  events_.on_load(outcome);
  return outcome.result;
}

load_outcome live_catalog::load_now(load_depth depth) {
  if (const auto connected = connect(); !connected) {
    load_outcome failed;
    failed.result = result_of_opening(connected.error().kind);
    failed.detail = connected.error().text;
    return failed;
  }
  load_hooks hooks;
  hooks.publish = [this](std::shared_ptr<const routing::catalog> made) {
    if (!must_end_load()) events_.on_catalog(std::move(made));
  };
  hooks.is_stopped = [this] { return must_end_load(); };
  hooks.focus = focus_;
  return mirror_.load(*reader_, depth, hooks);
}

/// Opens a connection, unless there is one and restart() wasn't called since.
mongo_result<void> live_catalog::connect() {
  bool is_restarted = false;
  {
    const std::lock_guard lock(mutex_);
    is_restarted = stop_.stop_requested() && !notes_->is_stopped();
    if (is_restarted) stop_ = std::stop_source{};
    stop_now_ = stop_.get_token();
  }
  if (is_restarted) reader_.reset();
  if (reader_) return {};
  auto opened = settings_.open(stop_now_);
  if (!opened) return opened.error();
  reader_ = std::move(*opened);
  return {};
}

}  // namespace scattergate::config
