#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "digest/row.hpp"

/// Converts times in sources, which are untrusted: any number may occur.
namespace scattergate::report {

/// The longest accepted duration. Longer ones in a source are errors and are clamped to it.
inline constexpr std::chrono::hours longest_duration{24 * 365};

/// Clamps a duration to the range from 0 to longest_duration.
template <typename Duration>
[[nodiscard]] std::chrono::nanoseconds clamped_duration(Duration duration) {
  return std::clamp<Duration>(duration, Duration{0}, longest_duration);
}

/// Converts milliseconds since 1970. std::nullopt if `millis` is std::nullopt or outside the
/// clock's range of some centuries around 1970.
[[nodiscard]] inline std::optional<digest::wall_time> representable_time(
    const std::optional<std::int64_t>& millis) {
  using clock_millis = std::chrono::milliseconds;
  constexpr auto most =
      std::chrono::duration_cast<clock_millis>(digest::wall_time::duration::max());
  if (!millis || *millis > most.count() || *millis < -most.count()) return std::nullopt;
  return digest::wall_time{clock_millis{*millis}};
}

/// Converts the time of a packet or a recorded event. Clamps it to the clock's range from 1970
/// on, so that differences don't overflow.
template <typename Duration>
[[nodiscard]] digest::wall_time clamped_instant(Duration since_1970) {
  using ticks = digest::wall_time::duration;
  constexpr auto most = std::chrono::duration_cast<Duration>(ticks::max()) - Duration{1};
  return digest::wall_time{
      std::chrono::duration_cast<ticks>(std::clamp(since_1970, Duration{0}, most))};
}

}  // namespace scattergate::report
