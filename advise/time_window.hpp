#pragma once

#include "digest/row.hpp"

namespace scattergate::advise {

/// The time from the first to the last command that has a time. Commands in the last fifth of
/// this time are held out: keys are ranked by all other commands, and tested on the held-out
/// commands. REQUIRES: first < last.
struct time_window {
  digest::wall_time first, last;  ///< the times of the first and last command

  /// The last 1/held_out_part of the window is held out.
  static constexpr int held_out_part = 5;

  /// The time at which the held-out part begins.
  [[nodiscard]] digest::wall_time held_out_from() const noexcept {
    return last - (last - first) / held_out_part;
  }
  /// Whether a command at this time is held out.
  [[nodiscard]] bool is_held_out(digest::wall_time at) const noexcept {
    return at >= held_out_from();
  }
};

}  // namespace scattergate::advise
