#pragma once

#include <atomic>

namespace scattergate::routing {

/// Records whether commands have used a collection since the last check. Workers set it; the
/// catalog's owner reads and clears it. Outlives catalogs. Setting it again writes nothing, so
/// that workers don't contend. Thread-safety: any thread.
class use_mark {
 public:
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
