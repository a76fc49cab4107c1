#pragma once

#include <atomic>
#include <cstddef>

namespace scattergate::proxy {

/// What all messages that are held whole may take together, in bytes (limits.memory).
/// Thread-safety: any thread.
class memory_budget {
 public:
  explicit memory_budget(std::size_t bytes) noexcept : limit_(bytes) {}

  [[nodiscard]] bool take(std::size_t bytes) noexcept {
    const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= limit_) return true;
    give_back(bytes);
    return false;
  }
  void give_back(std::size_t bytes) noexcept {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t used() const noexcept {
    return used_.load(std::memory_order_relaxed);
  }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace scattergate::proxy
