#pragma once

#include <cstddef>
#include <cstdint>

#include "digest/row.hpp"

namespace scattergate::advise {

/// The time between the first and the last command that have one. Its last fifth is held out:
/// keys are ranked on what precedes it. REQUIRES: first < last.
struct time_window {
  digest::wall_time first, last;

  /// Measures are also summed by slices of equal duration, so that differences can be
  /// distinguished from chance.
  static constexpr std::size_t slices = 50;
  static constexpr int held_out_part = 5;

  [[nodiscard]] digest::wall_time held_out_from() const noexcept {
    return last - (last - first) / held_out_part;
  }
  [[nodiscard]] bool is_held_out(digest::wall_time at) const noexcept {
    return at >= held_out_from();
  }
  /// REQUIRES: first <= at <= last.
  [[nodiscard]] std::size_t slice_of(digest::wall_time at) const noexcept {
    const auto slice =
        (at - first) / ((last - first) / slices + digest::wall_time::duration{1});
    return static_cast<std::size_t>(slice);
  }
};

}  // namespace scattergate::advise
