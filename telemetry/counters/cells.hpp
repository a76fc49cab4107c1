#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/trace_context.hpp"

namespace scattergate::telemetry {

/// A counter or gauge with one writer and any number of readers. Adding is a relaxed load and
/// store, as cheap as a plain increment. Thread-safety: call add() and sub() from one thread at
/// a time, get() from any.
class cell {
 public:
  /// Adds `n`.
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  /// Subtracts `n`, for gauges.
  void sub(std::uint64_t n = 1) noexcept { add(~n + 1); }
  /// The current value.
  [[nodiscard]] std::uint64_t get() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// An exemplar (OpenMetrics): one command as an example of the commands that a series of a
/// metric has counted.
struct exemplar {
  using clock = std::chrono::steady_clock;

  wire::trace_id trace;          ///< the command's trace; set only if the trace is sampled
  std::uint64_t shape_hash = 0;  ///< the hash of the command's shape; 0: unknown
  std::uint64_t value = 0;   ///< the amount that the command added to the series, in the unit
                             ///< of the series' cells
  clock::time_point at;      ///< when the command was counted
  std::uint32_t series = 0;  ///< the number of the series; the owner of the exemplar_cell
                             ///< defines the numbers
  std::int64_t unix_millis = 0;  ///< `at` as wall-clock time; set by the cell

  /// For how long an exemplar with a trace is preferred to a newer exemplar without one.
  static constexpr std::chrono::minutes traces_stay{1};

  /// Whether to prefer this exemplar to `other`, an exemplar of the same series. Usually
  /// prefers the newer one. If only one of them has a trace, prefers that one, unless it is
  /// traces_stay older or more.
  [[nodiscard]] bool is_better_than(const exemplar& other) const noexcept {
    if (trace && !other.trace) return other.at - at < traces_stay;
    if (!trace && other.trace) return at - other.at >= traces_stay;
    return at > other.at;
  }
};

/// Stores one exemplar, the latest suitable one. Uses a sequence lock: the version is odd
/// during a write, and a reader that sees a write retries. The writer never waits.
/// Thread-safety: call offer() from one thread, read() from any.
class exemplar_cell {
 public:
  /// Stores the exemplar in place of the stored one if that is at least a second old. There are
  /// two exceptions within one series: an exemplar with a trace replaces one without a trace at
  /// once, and the reverse takes a minute (traces_stay).
  void offer(const exemplar& one) noexcept {
    if (is_due(one)) write(one);
  }

  /// The stored exemplar; std::nullopt if there is none, or if concurrent writes disturbed all
  /// attempts to read it.
  [[nodiscard]] std::optional<exemplar> read() const noexcept {
    for (int tries = 0; tries < most_tries; ++tries) {
      const std::uint64_t before = version_.load(std::memory_order_acquire);
      if (before == 0) return std::nullopt;
      std::array<std::uint64_t, words> copy;
      for (std::size_t i = 0; i < words; ++i)
        copy[i] = words_[i].load(std::memory_order_acquire);
      if (before % 2 == 0 && version_.load(std::memory_order_relaxed) == before) {
        return made_of(copy);
      }
    }
    return std::nullopt;
  }

  /// Whether no exemplar was stored yet. For the writer only.
  [[nodiscard]] bool is_empty() const noexcept {
    return kept_.at == exemplar::clock::time_point{};
  }
  /// The stored exemplar. For the writer only.
  [[nodiscard]] const exemplar& kept() const noexcept { return kept_; }

 private:
  static constexpr std::size_t words = 7;
  static constexpr int most_tries = 4;
  static constexpr std::chrono::seconds pause{1};

  [[nodiscard]] bool is_due(const exemplar& one) const noexcept {
    if (is_empty()) return true;
    const auto age = one.at - kept_.at;
    if (one.series != kept_.series) return age >= pause;
    if (one.trace && !kept_.trace) return true;
    return age >= (kept_.trace && !one.trace ? exemplar::traces_stay : pause);
  }

  void write(const exemplar& one) noexcept {
    kept_ = one;
    // Computed once, so that each scrape shows the same time.
    kept_.unix_millis = std::chrono::floor<std::chrono::milliseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    const auto at =
        static_cast<std::uint64_t>(std::chrono::nanoseconds{one.at.time_since_epoch()}.count());
    const std::array<std::uint64_t, words> packed = {
        one.trace.high,
        one.trace.low,
        one.shape_hash,
        one.value,
        at,
        one.series,
        static_cast<std::uint64_t>(kept_.unix_millis)};
    version_.store(version + 1, std::memory_order_relaxed);
    // Stored after the odd version: a reader that loads one of them also sees the changed
    // version.
    for (std::size_t i = 0; i < words; ++i)
      words_[i].store(packed[i], std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
  }

  [[nodiscard]] static exemplar made_of(
      const std::array<std::uint64_t, words>& packed) noexcept {
    const std::chrono::nanoseconds at{static_cast<std::int64_t>(packed[4])};
    return {
        {packed[0], packed[1], packed[0] != 0 || packed[1] != 0},
        packed[2],
        packed[3],
        exemplar::clock::time_point{std::chrono::duration_cast<exemplar::clock::duration>(at)},
        static_cast<std::uint32_t>(packed[5]),
        static_cast<std::int64_t>(packed[6])};
  }

  std::atomic<std::uint64_t> version_{0};
  std::array<std::atomic<std::uint64_t>, words> words_{};
  exemplar kept_;  // used only by the writer
};

/// Stores one exemplar for each of at most `Places` series. If all places are taken, an
/// exemplar of a new series replaces the oldest one. Thread-safety: call offer() from one
/// thread, for_each() from any.
template <std::size_t Places>
class exemplar_places {
 public:
  /// Stores the exemplar in its series' place, if exemplar_cell::offer() there accepts it.
  void offer(const exemplar& one) noexcept {
    exemplar_cell* oldest = &cells_.front();
    for (exemplar_cell& each : cells_) {
      if (each.is_empty() || each.kept().series == one.series) return each.offer(one);
      if (each.kept().at < oldest->kept().at) oldest = &each;
    }
    oldest->offer(one);
  }

  /// Calls `use(exemplar)` for each stored exemplar.
  template <typename Use>
  void for_each(const Use& use) const {
    for (const exemplar_cell& each : cells_) {
      const auto one = each.read();
      if (one) use(*one);
    }
  }

 private:
  std::array<exemplar_cell, Places> cells_;
};

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
