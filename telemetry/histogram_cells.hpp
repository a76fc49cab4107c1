#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "telemetry/cell.hpp"

namespace scattergate::telemetry {

/// A latency histogram of one writer. Cumulated at scrape time.
/// Thread-safety: as cell.
class duration_cells {
 public:
  /// Upper bounds of the buckets, in nanoseconds (0.5 ms ... 10 s); +Inf comes after them.
  static constexpr std::array<std::int64_t, 14> bounds_ns = {
      500'000,     1'000'000,   2'500'000,     5'000'000,     10'000'000,
      25'000'000,  50'000'000,  100'000'000,   250'000'000,   500'000'000,
      1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};

  void observe(std::chrono::nanoseconds duration) noexcept {
    std::size_t bucket = 0;
    while (bucket < bounds_ns.size() && duration.count() > bounds_ns[bucket]) ++bucket;
    buckets[bucket].add();
    sum_ns.add(static_cast<std::uint64_t>(duration.count()));
  }

  std::array<cell, bounds_ns.size() + 1> buckets;
  cell sum_ns;
};

/// A histogram of how many shards a command reaches.
/// Thread-safety: as cell.
class fanout_cells {
 public:
  static constexpr std::array<std::uint64_t, 8> bounds = {1, 2, 3, 5, 10, 20, 50, 100};

  void observe(std::size_t shards) noexcept {
    std::size_t bucket = 0;
    while (bucket < bounds.size() && shards > bounds[bucket]) ++bucket;
    buckets[bucket].add();
    sum.add(shards);
  }

  std::array<cell, bounds.size() + 1> buckets;
  cell sum;
};

}  // namespace scattergate::telemetry
