#include "telemetry/shapes/shape_tally.hpp"

#include <algorithm>
#include <string_view>

#include "text/utf8.hpp"

namespace scattergate::telemetry {
namespace {

caller_view cut(const caller_view& caller) noexcept {
  return {text::cut_utf8(caller.app_name, max_caller_text),
          text::cut_utf8(caller.driver, max_caller_text),
          text::cut_utf8(caller.user, max_caller_text),
          text::cut_utf8(caller.remote, max_caller_text),
          text::cut_utf8(caller.comment, max_caller_text),
          text::cut_utf8(caller.test, max_caller_text)};
}

bool is_same(const digest::caller& kept, const caller_view& caller) noexcept {
  return kept.remote == caller.remote && kept.app_name == caller.app_name &&
         kept.driver == caller.driver && kept.user == caller.user &&
         kept.comment == caller.comment;
}

}  // namespace

std::size_t caller_slots::find_or_take(const caller_view& caller) {
  const caller_view kept = cut(caller);
  const std::uint64_t id = known_as(caller);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].id != id && !is_same(slots_[i].caller, kept)) continue;
    if (slots_[i].caller.test.empty()) slots_[i].caller.test = kept.test;
    return i;
  }
  slot* const taken = idle_slot();
  if (taken == nullptr) return others;
  taken->id = id;
  taken->caller.app_name = kept.app_name;
  taken->caller.driver = kept.driver;
  taken->caller.user = kept.user;
  taken->caller.remote = kept.remote;
  taken->caller.comment = kept.comment;
  taken->caller.test = kept.test;
  return static_cast<std::size_t>(taken - slots_.data());
}

/// A new slot if there is room, otherwise one without counts; null if there is neither.
caller_slots::slot* caller_slots::idle_slot() {
  if (add_slot()) return &slots_.back();
  const auto idle = std::find_if(slots_.begin(), slots_.end(),
                                 [](const slot& each) { return each.caller.count == 0; });
  return idle == slots_.end() ? nullptr : &*idle;
}

bool caller_slots::add_slot() {
  if (slots_.size() >= max_callers) return false;
  slots_.reserve(slots_.size() + 1);
  if (!memory_.reserve(slot_bytes, memory_.limit() / 4)) return false;
  slots_.emplace_back();
  return true;
}

void caller_slots::append_to(digest::callers& to) const {
  for (const slot& each : slots_) {
    if (each.caller.count != 0) to.add(each.caller);
  }
  to.add_others(others_);
}

void caller_slots::reset() noexcept {
  for (slot& each : slots_) each.caller.count = 0;
  others_ = 0;
}

void shape_tally::count(const shape_ending& how, const caller_view* caller) {
  if (is_empty()) first_ = how.at;
  end_run();
  run_ = {.to = how.to};
  if (caller != nullptr) {
    run_.slot = callers_.find_or_take(*caller);
    if (run_.slot != caller_slots::others) run_.caller_id = known_as(*caller);
  }
  note(how);
}

bool shape_tally::change_run(const shape_ending& how, std::uint64_t caller_id) noexcept {
  const std::size_t slot = callers_.find(caller_id);
  if (is_empty() || slot == caller_slots::others) return false;
  end_run();
  run_ = {.caller_id = caller_id, .to = how.to, .slot = slot};
  return true;
}

void shape_tally::end_run() noexcept {
  if (run_.count == 0) return;
  counts_.count += run_.count;
  counts_.total += run_.total;
  counts_.longest = std::max(counts_.longest, run_.longest);
  counts_.by_routing[static_cast<std::size_t>(run_.to.routing)] += run_.count;
  if (run_.to.is_known) counts_.shards.add(run_.to.shards, run_.count);
  callers_.add(run_.slot, run_.count);
  run_ = {};
}

digest::counts shape_tally::drain_counts() {
  end_run();
  digest::counts taken = counts_;
  for (std::size_t i = 0; i < times_.size(); ++i) taken.times.add_to(i, times_[i]);
  callers_.append_to(taken.who);
  // Nothing throws from here on.
  counts_ = {};
  times_.fill(0);
  callers_.reset();
  const auto now = clock::now();
  const auto wall_now = std::chrono::system_clock::now();
  const auto on_wall = [&](clock::time_point at) {
    return wall_now - std::chrono::duration_cast<digest::wall_time::duration>(now - at);
  };
  taken.first_seen = on_wall(first_);
  taken.last_seen = on_wall(last_);
  return taken;
}

}  // namespace scattergate::telemetry
