#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace scattergate::telemetry {

/// The number of minutes in one ten-minute step of a history.
inline constexpr std::uint64_t minutes_of_ten = 10;

/// Adds `count` to a count of one step. The sum stops at the maximum instead of overflowing.
inline void add_to_step(std::uint32_t& sum, std::uint64_t count) noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  sum = static_cast<std::uint32_t>(std::min(sum + std::min(count, most), most));
}

/// Clears the steps that become current when time passes from step `last` to step `next`: those
/// with the numbers last + 1 to next. Step number n is at index n modulo the array's size.
template <typename Step, std::size_t Size>
void clear_steps(std::array<Step, Size>& steps, std::uint64_t last,
                 std::uint64_t next) noexcept {
  if (next - last > Size) last = next - Size;
  for (std::uint64_t number = last + 1; number <= next; ++number) steps[number % Size] = {};
}

}  // namespace scattergate::telemetry
