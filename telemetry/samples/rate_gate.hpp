#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace scattergate::telemetry {

/// Samples events: selects at most one event per interval, over all threads. Until the interval
/// has ended, a call costs one relaxed load. Thread-safety: any thread.
class rate_gate {
 public:
  using clock = std::chrono::steady_clock;

  /// If `interval` is zero, no event is selected. `one_in`: a power of two. Once the interval
  /// has ended, each event is selected with probability 1/one_in. So periodic traffic doesn't
  /// always select the same command.
  explicit rate_gate(std::chrono::nanoseconds interval, std::uint64_t one_in = 1) noexcept
      : interval_(interval.count()),
        draw_mask_(one_in - 1),
        next_(interval_ == 0 ? std::numeric_limits<std::int64_t>::max()
                             : std::numeric_limits<std::int64_t>::min()) {}

  /// Whether pass() would return true at the time `now`.
  [[nodiscard]] bool is_due(clock::time_point now) const noexcept {
    const std::int64_t at = nanoseconds_of(now);
    return at >= next_.load(std::memory_order_relaxed) && wins_draw(at);
  }

  /// Whether this event is selected; if so, starts the next interval.
  [[nodiscard]] bool pass(clock::time_point now) noexcept {
    const std::int64_t at = nanoseconds_of(now);
    std::int64_t next = next_.load(std::memory_order_relaxed);
    if (at < next || !wins_draw(at)) return false;
    return next_.compare_exchange_strong(next, at + interval_, std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] static std::int64_t nanoseconds_of(clock::time_point now) noexcept {
    return std::chrono::nanoseconds{now.time_since_epoch()}.count();
  }

  /// Whether an event at this time may pass: hashes the low bits of the time, which are random
  /// enough.
  [[nodiscard]] bool wins_draw(std::int64_t at) const noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
    return ((static_cast<std::uint64_t>(at) * odd) >> 32U & draw_mask_) == 0;
  }

  std::int64_t interval_;
  std::uint64_t draw_mask_;
  std::atomic<std::int64_t> next_;  ///< when the next event may pass, in nanoseconds of the
                                    ///< clock
};

}  // namespace scattergate::telemetry
