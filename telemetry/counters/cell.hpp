#pragma once

#include <atomic>
#include <cstdint>

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

}  // namespace scattergate::telemetry
