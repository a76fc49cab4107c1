#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace scattergate::telemetry {

/// Samples events: passes one event per interval, over all threads. Costs one relaxed load
/// until the interval has passed. Thread-safety: any thread.
class rate_gate {
 public:
  using clock = std::chrono::steady_clock;

  /// `interval`: if zero, no event passes. `one_in`, a power of two: when the interval has
  /// passed, each event passes with probability 1/one_in, so that periodic traffic doesn't
  /// always select the same command.
  explicit rate_gate(std::chrono::nanoseconds interval, std::uint64_t one_in = 1) noexcept
      : interval_(interval.count()),
        lots_(one_in - 1),
        next_(interval_ == 0 ? std::numeric_limits<std::int64_t>::max()
                             : std::numeric_limits<std::int64_t>::min()) {}

  /// Whether pass() would return true now.
  [[nodiscard]] bool is_due(clock::time_point now) const noexcept {
    const std::int64_t at = nanoseconds_of(now);
    return at >= next_.load(std::memory_order_relaxed) && draws_lot(at);
  }

  /// Whether this event is selected; if so, starts the next interval.
  [[nodiscard]] bool pass(clock::time_point now) noexcept {
    const std::int64_t at = nanoseconds_of(now);
    std::int64_t next = next_.load(std::memory_order_relaxed);
    if (at < next || !draws_lot(at)) return false;
    return next_.compare_exchange_strong(next, at + interval_, std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] static std::int64_t nanoseconds_of(clock::time_point now) noexcept {
    return std::chrono::nanoseconds{now.time_since_epoch()}.count();
  }

  /// Whether an event at this time may pass: hashes the low bits of the time, which are random
  /// enough.
  [[nodiscard]] bool draws_lot(std::int64_t at) const noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
    return ((static_cast<std::uint64_t>(at) * odd) >> 32U & lots_) == 0;
  }

  std::int64_t interval_;
  std::uint64_t lots_;
  std::atomic<std::int64_t> next_;  ///< when the next event may pass, in nanoseconds of the
                                    ///< clock
};

}  // namespace scattergate::telemetry
