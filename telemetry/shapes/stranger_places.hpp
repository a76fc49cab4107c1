#pragma once

#include <atomic>
#include <cstddef>

namespace scattergate::telemetry {

/// Limits how many entries ("places") of shape_tables are for findings of strangers
/// (unauthenticated clients). The limit is for all workers together. Thread-safety: any thread.
class stranger_places {
 public:
  /// The maximum number of these places.
  static constexpr std::size_t most = 200;

  /// Reserves a place. Returns false if `most` places are reserved already.
  [[nodiscard]] bool try_reserve() noexcept {
    std::size_t taken = taken_.load(std::memory_order_relaxed);
    while (taken < most) {
      if (taken_.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  /// Releases a reserved place.
  void release() noexcept { taken_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> taken_{0};
};

/// The maximum number of findings in a table: `max_shapes`, plus stranger_places::most for
/// unauthenticated clients.
[[nodiscard]] constexpr std::size_t with_strangers(std::size_t max_shapes) noexcept {
  return max_shapes + stranger_places::most;
}

}  // namespace scattergate::telemetry
