#include "telemetry/state/save_schedule.hpp"

#include <algorithm>

namespace scattergate::telemetry {

save_schedule::clock::duration save_schedule::note_saved(clock::time_point taken,
                                                         clock::time_point done,
                                                         bool has_all) noexcept {
  constexpr int memory = 8;  // a long save hardly matters after this many others
  longest_ = std::max(done - taken, longest_ - longest_ / memory);
  const auto waited = done - (is_known_ ? saved_up_to_ : taken);
  if (has_all || !is_known_) saved_up_to_ = taken;
  is_known_ = true;
  return waited;
}

/// Leaves a reserve: the next save may take twice as long as recent ones, and its thread may
/// wake up late.
save_schedule::clock::time_point save_schedule::next(clock::time_point taken) const noexcept {
  constexpr int parts = 10;
  const auto reserve = interval_ / parts + 2 * longest_;
  return taken + interval_ - std::min(reserve, interval_ / 2);
}

}  // namespace scattergate::telemetry
