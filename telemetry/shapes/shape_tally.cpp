#include "telemetry/shapes/shape_tally.hpp"

namespace scattergate::telemetry {

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
