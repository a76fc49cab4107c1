#pragma once

#include <atomic>

namespace scattergate::routing {

/// Records whether commands have used a collection since the last test_and_clear(). Workers
/// call set(); the catalog's owner calls test_and_clear(). Successive catalogs share the mark
/// of a collection. Thread-safety: any thread.
class use_mark {
 public:
  /// Sets the mark. If it is already set, only reads it, so that workers don't contend for its
  /// cache line.
  void set() noexcept {
    if (!is_set_.load(std::memory_order_relaxed))
      is_set_.store(true, std::memory_order_relaxed);
  }

  /// Clears the mark; returns whether it was set.
  [[nodiscard]] bool test_and_clear() noexcept {
    return is_set_.load(std::memory_order_relaxed) &&
           is_set_.exchange(false, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> is_set_{false};
};

}  // namespace scattergate::routing
