#pragma once

#include <cstddef>
#include <cstdint>

#include "digest/row.hpp"

namespace scattergate::advise {

/// The time from the first to the last command that has a time. The commands of its last fifth
/// are held out: keys are ranked on earlier ones and checked against these. REQUIRES: first <
/// last.
struct time_window {
  digest::wall_time first, last;

  /// The number of time slices of equal duration. Measures are summed by slice, to tell
  /// differences from chance.
  static constexpr std::size_t slices = 50;
  /// One in this many parts of the window is held out.
  static constexpr int held_out_part = 5;

  /// The time from which on commands are held out.
  [[nodiscard]] digest::wall_time held_out_from() const noexcept {
    return last - (last - first) / held_out_part;
  }
  [[nodiscard]] bool is_held_out(digest::wall_time at) const noexcept {
    return at >= held_out_from();
  }
  /// The index of the slice that contains `at`. REQUIRES: first <= at <= last.
  [[nodiscard]] std::size_t slice_of(digest::wall_time at) const noexcept {
    const auto slice =
        (at - first) / ((last - first) / slices + digest::wall_time::duration{1});
    return static_cast<std::size_t>(slice);
  }
};

}  // namespace scattergate::advise
