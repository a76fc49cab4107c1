#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

#include "telemetry/history/command_counts.hpp"

namespace scattergate::telemetry {

/// The counts of the last minute, kept in steps of five seconds. A jump of the clock discards
/// the counts. Thread-safety: one thread.
class recent_counts {
 public:
  using wall_time = std::chrono::system_clock::time_point;

  /// Adds counts to the step that contains `now`.
  void add(const command_counts& counts, wall_time now) noexcept {
    slot& at = slots_[static_cast<std::size_t>(number_of(now)) % slots_.size()];
    if (at.number != number_of(now)) at = {number_of(now), {}};
    for (std::size_t i = 0; i < command_counts::kinds; ++i) {
      constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
      at.of[i] = static_cast<std::uint32_t>(std::min(at.of[i] + counts.of[i], most));
    }
  }

  /// The counts of the last minute: of the current step of five seconds and the eleven before
  /// it. seconds() returns the exact length of this period.
  [[nodiscard]] command_counts sum(wall_time now) const noexcept {
    const std::int64_t last = number_of(now);
    command_counts all;
    for (const slot& each : slots_) {
      if (each.number > last || each.number <= last - std::int64_t{slots}) continue;
      for (std::size_t i = 0; i < command_counts::kinds; ++i) all.of[i] += each.of[i];
    }
    return all;
  }

  /// The length, in seconds, of the period whose counts sum() returns: at least 1, at most the
  /// time since `began`. `began`: when the daemon began to count.
  [[nodiscard]] static std::uint64_t seconds(wall_time now, wall_time began) noexcept {
    const auto whole = [](wall_time at) {
      return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
    };
    const std::int64_t looked_at = whole(now) - (number_of(now) - slots + 1) * step_seconds;
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, std::min(looked_at, whole(now) - whole(began))));
  }

 private:
  static constexpr std::int64_t slots = 12;
  static constexpr std::int64_t step_seconds = 5;
  struct slot {
    std::int64_t number = 0;
    std::array<std::uint32_t, command_counts::kinds> of{};
  };

  /// The number of the step that contains `at`. Never negative, even for a time before 1970.
  static std::int64_t number_of(wall_time at) noexcept {
    using std::chrono::seconds;
    return std::max<std::int64_t>(
               0, std::chrono::duration_cast<seconds>(at.time_since_epoch()).count()) /
           step_seconds;
  }

  std::array<slot, slots> slots_{};
};

}  // namespace scattergate::telemetry
