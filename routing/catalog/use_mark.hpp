#pragma once

#include <atomic>

namespace scattergate::routing {

/// Whether commands have come to a collection since somebody asked: workers tell, whoever keeps
/// the catalog asks. It outlives the catalogs that the collection is in.
/// Thread-safety: any thread. Told once, telling it again writes nothing.
class use_mark {
 public:
  void set() noexcept {
    if (!is_set_.load(std::memory_order_relaxed))
      is_set_.store(true, std::memory_order_relaxed);
  }

  /// Whether it was set, which it is no more.
  [[nodiscard]] bool take() noexcept {
    return is_set_.load(std::memory_order_relaxed) &&
           is_set_.exchange(false, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> is_set_{false};
};

}  // namespace scattergate::routing
