#pragma once

#include <atomic>

namespace scattergate::routing {

/// Records whether commands used a collection since the last check. Workers set it, the
/// catalog's owner reads and clears it. It outlives the catalogs that the collection is in.
/// Thread-safety: any thread. Setting it again while it is set writes nothing.
class use_mark {
 public:
  void set() noexcept {
    if (!is_set_.load(std::memory_order_relaxed))
      is_set_.store(true, std::memory_order_relaxed);
  }

  /// Whether it was set; clears it.
  [[nodiscard]] bool take() noexcept {
    return is_set_.load(std::memory_order_relaxed) &&
           is_set_.exchange(false, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> is_set_{false};
};

}  // namespace scattergate::routing
