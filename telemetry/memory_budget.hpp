#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace scattergate::telemetry {

/// What all that clients can cause may take together, in bytes (limits.memory). Taken by
/// memory_shares; what isn't in here, and how much that is, stands in docs/security.md.
/// Thread-safety: any thread.
class memory_budget {
 public:
  explicit memory_budget(std::size_t bytes) noexcept : limit_(bytes) {}
  memory_budget(const memory_budget&) = delete;
  memory_budget& operator=(const memory_budget&) = delete;

  /// Takes `bytes` where at least `left` stay free behind them.
  [[nodiscard]] bool take(std::size_t bytes, std::size_t left = 0) noexcept {
    const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes + left <= limit_) return true;
    give_back(bytes);
    refusals_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  void give_back(std::size_t bytes) noexcept {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t used() const noexcept {
    return used_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  /// How often somebody found no room.
  [[nodiscard]] std::uint64_t refusals() const noexcept {
    return refusals_.load(std::memory_order_relaxed);
  }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> refusals_{0};
};

/// What one connection has of the budget. None takes all: a holder may hold no more than it
/// leaves free, so half of the budget at most. A holder of more than a `modest` part leaves an
/// eighth of the budget free, for those who hold little; a stranger's leaves another eighth, so
/// that strangers don't keep large messages of known clients out. Given back at its end.
/// Thread-safety: one thread, or under its owner's mutex.
class memory_share {
 public:
  static constexpr std::size_t modest = 64UL * 1024;  ///< bytes

  explicit memory_share(memory_budget& of) noexcept : budget_(of) {}
  ~memory_share() { give_back(bytes_); }
  memory_share(const memory_share&) = delete;
  memory_share& operator=(const memory_share&) = delete;

  [[nodiscard]] bool take(std::size_t bytes) noexcept {
    if (!budget_.take(bytes, left_by(bytes_ + bytes))) return false;
    bytes_ += bytes;
    return true;
  }
  /// REQUIRES: so many were taken.
  void give_back(std::size_t bytes) noexcept {
    if (bytes == 0) return;
    bytes_ -= bytes;
    budget_.give_back(bytes);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Whether it is the share of a client for which nothing speaks yet.
  void set_stranger(bool is_one) noexcept { is_strangers_ = is_one; }

 private:
  /// What must stay free where this share is so large.
  [[nodiscard]] std::size_t left_by(std::size_t bytes) const noexcept {
    if (bytes <= modest) return bytes;
    return std::max(bytes, budget_.limit() / (is_strangers_ ? 4 : 8));
  }

  memory_budget& budget_;
  std::size_t bytes_ = 0;
  bool is_strangers_ = false;
};

/// Some of a share's bytes, given back at their end: what one thing that may grow takes.
/// Thread-safety: the share's.
class memory_lease {
 public:
  explicit memory_lease(memory_share& of) noexcept : share_(of) {}
  ~memory_lease() { give_back(); }
  memory_lease(const memory_lease&) = delete;
  memory_lease& operator=(const memory_lease&) = delete;

  /// Whether there was room to make it so large. REQUIRES: `bytes` isn't less than it is.
  [[nodiscard]] bool grow_to(std::size_t bytes) noexcept {
    if (!share_.take(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }
  void give_back() noexcept {
    share_.give_back(bytes_);
    bytes_ = 0;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  memory_share& share_;
  std::size_t bytes_ = 0;
};

}  // namespace scattergate::telemetry
