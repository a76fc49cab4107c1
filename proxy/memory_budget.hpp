#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
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
  /// The share, where the budget has room for it.
  [[nodiscard]] static std::optional<budget_share> of(memory_budget& budget,
                                                      std::size_t bytes) noexcept {
    if (!budget.take(bytes)) return std::nullopt;
    return budget_share{budget, bytes};
  }
  budget_share(budget_share&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
  budget_share& operator=(budget_share&&) = delete;
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  ~budget_share() {
    if (budget_ != nullptr) budget_->give_back(bytes_);
  }

 private:
  budget_share(memory_budget& budget, std::size_t bytes) noexcept
      : budget_(&budget), bytes_(bytes) {}
  memory_budget* budget_;
  std::size_t bytes_;
};

}  // namespace scattergate::proxy
