#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace scattergate::telemetry {

/// Lets one through per interval, whichever thread asks. Where it isn't time yet, asking costs
/// one relaxed load.
/// Thread-safety: any thread.
class rate_gate {
 public:
  using clock = std::chrono::steady_clock;

  /// An interval of zero lets nothing through, ever. Once it is time, one in `one_in` (a power
  /// of two) passes, by lot: or of what comes in a rhythm always the first would.
  explicit rate_gate(std::chrono::nanoseconds interval, std::uint64_t one_in = 1) noexcept
      : interval_(interval.count()),
        lots_(one_in - 1),
        next_(interval_ == 0 ? std::numeric_limits<std::int64_t>::max()
                             : std::numeric_limits<std::int64_t>::min()) {}

  /// Whether pass() would be true, did no other thread come first.
  [[nodiscard]] bool is_due(clock::time_point now) const noexcept {
    const std::int64_t at = nanoseconds_of(now);
    return at >= next_.load(std::memory_order_relaxed) && draws_lot(at);
  }

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

  /// The time's own low bits mixed: no clock ticks so evenly.
  [[nodiscard]] bool draws_lot(std::int64_t at) const noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio
    return ((static_cast<std::uint64_t>(at) * odd) >> 32U & lots_) == 0;
  }

  std::int64_t interval_;
  std::uint64_t lots_;
  std::atomic<std::int64_t> next_;  ///< nanoseconds of the clock
};

}  // namespace scattergate::telemetry
