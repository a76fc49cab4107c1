#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "telemetry/counters/cell.hpp"

namespace scattergate::telemetry {

/// A histogram of a metric, with one writer. `Bounds`: the buckets' inclusive upper bounds, a
/// sorted std::array, without +Inf. Buckets aren't cumulative here, only in /metrics.
/// Thread-safety: call observe() from one thread at a time, read from any.
template <auto Bounds>
class histogram_cells {
 public:
  static constexpr auto bounds = Bounds;

  /// Counts a value, in the unit of the bounds.
  void observe(std::uint64_t value) noexcept {
    std::size_t bucket = 0;
    while (bucket < bounds.size() && value > bounds[bucket]) ++bucket;
    buckets[bucket].add();
    sum.add(value);
  }

  /// Counts a duration, for bounds in nanoseconds. A negative duration counts as zero.
  void observe(std::chrono::nanoseconds duration) noexcept {
    observe(static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0)));
  }

  std::array<cell, Bounds.size() + 1> buckets;  ///< the last one is +Inf
  cell sum;  ///< the sum of all values, in the unit of the bounds
};

/// Bounds for the time from a command to its reply: 0.5 ms to 10 s, in nanoseconds.
inline constexpr std::array<std::uint64_t, 14> reply_bounds_ns = {
    500'000,       1'000'000,     2'500'000,     5'000'000,     10'000'000,
    25'000'000,    50'000'000,    100'000'000,   250'000'000,   500'000'000,
    1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};

/// Bounds for scattergate's own time to judge a command: 250 ns to 1 ms, in nanoseconds.
inline constexpr std::array<std::uint64_t, 12> inspect_bounds_ns = {
    250,    500,    1'000,   2'500,   5'000,   10'000,
    25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000};

/// Bounds for the number of shards that a command reaches.
inline constexpr std::array<std::uint64_t, 8> fanout_bounds = {1, 2, 3, 5, 10, 20, 50, 100};

using duration_cells = histogram_cells<reply_bounds_ns>;
using inspect_cells = histogram_cells<inspect_bounds_ns>;
using fanout_cells = histogram_cells<fanout_bounds>;

}  // namespace scattergate::telemetry
