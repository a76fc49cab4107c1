#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace scattergate::proxy {

/// What all messages that are held whole, or followed while they pass, may take together, in
/// bytes (limits.memory).
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

/// A part of the budget, given back at its end.
/// Thread-safety: one thread.
class budget_share {
 public:
  explicit budget_share(memory_budget& budget) noexcept : budget_(budget) {}
  ~budget_share() { give_back(); }
  budget_share(const budget_share&) = delete;
  budget_share& operator=(const budget_share&) = delete;

  /// Whether the budget had room to make it so large. REQUIRES: `bytes` isn't less than it is.
  [[nodiscard]] bool grow_to(std::size_t bytes) noexcept {
    if (!budget_.take(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }
  void give_back() noexcept { budget_.give_back(std::exchange(bytes_, 0)); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  memory_budget& budget_;
  std::size_t bytes_ = 0;
};

}  // namespace scattergate::proxy
