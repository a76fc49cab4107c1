#pragma once

#include "digest/row.hpp"

namespace scattergate::advise {

/// The time from the first to the last command that has a time. The commands of its last fifth
/// are held out: keys are ranked on earlier ones and checked against these. REQUIRES: first <
/// last.
struct time_window {
  digest::wall_time first, last;

  /// One in this many parts of the window is held out.
  static constexpr int held_out_part = 5;

  /// The time from which on commands are held out.
  [[nodiscard]] digest::wall_time held_out_from() const noexcept {
    return last - (last - first) / held_out_part;
  }
  [[nodiscard]] bool is_held_out(digest::wall_time at) const noexcept {
    return at >= held_out_from();
  }
};

}  // namespace scattergate::advise
