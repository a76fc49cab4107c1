#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace scattergate::telemetry {

/// Limits the memory whose size clients determine, for the whole process, to `limits.memory`
/// bytes. Only counts: callers reserve memory here before they allocate it. docs/security.md
/// lists the memory that isn't included. Thread-safety: any thread.
class memory_budget {
 public:
  /// `bytes`: the limit.
  explicit memory_budget(std::size_t bytes) noexcept : limit_(bytes) {}
  memory_budget(const memory_budget&) = delete;
  memory_budget& operator=(const memory_budget&) = delete;

  /// Reserves `bytes` if at least `left` bytes stay free afterwards. Otherwise returns false,
  /// reserves nothing and counts a refusal.
  [[nodiscard]] bool reserve(std::size_t bytes, std::size_t left = 0) noexcept {
    const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes + left <= limit_) return true;
    release(bytes);
    refusals_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  /// Releases `bytes`. REQUIRES: at least as many are reserved.
  void release(std::size_t bytes) noexcept {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  /// The number of reserved bytes.
  [[nodiscard]] std::size_t used() const noexcept {
    return used_.load(std::memory_order_relaxed);
  }
  /// The limit, in bytes.
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  /// The number of reservations refused since the start.
  [[nodiscard]] std::uint64_t refusals() const noexcept {
    return refusals_.load(std::memory_order_relaxed);
  }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> refusals_{0};
};

/// One connection's reservations from a memory_budget; the destructor releases them. A larger
/// share must leave more of the budget free, so that one connection can't block the others.
/// When a share grows to a new size, the following must stay free:
/// - at least as much as the new size, so that no share exceeds half of the budget;
/// - above `small_bytes`, at least an eighth of the budget;
/// - above `small_bytes` for a stranger (see set_stranger()), at least a quarter.
/// Thread-safety: one thread, or the owner's mutex.
class memory_share {
 public:
  /// The size of a small share, in bytes.
  static constexpr std::size_t small_bytes = 128UL * 1024;

  /// `of` must outlive this object.
  explicit memory_share(memory_budget& of) noexcept : budget_(of) {}
  ~memory_share() { release(bytes_); }
  memory_share(const memory_share&) = delete;
  memory_share& operator=(const memory_share&) = delete;

  /// Reserves `bytes` more. If the budget refuses, returns false and reserves nothing.
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept {
    if (!budget_.reserve(bytes, left_by(bytes_ + bytes))) return false;
    bytes_ += bytes;
    return true;
  }
  /// Releases `bytes`. REQUIRES: at least as many are reserved.
  void release(std::size_t bytes) noexcept {
    if (bytes == 0) return;
    bytes_ -= bytes;
    budget_.release(bytes);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Sets whether the share belongs to a stranger: a client that hasn't authenticated, and none
  /// of whose commands has succeeded. A stranger's share must leave more of the budget free.
  void set_stranger(bool is_stranger) noexcept { is_strangers_ = is_stranger; }

 private:
  /// The number of bytes of the budget that must stay free when the share grows to `bytes`.
  [[nodiscard]] std::size_t left_by(std::size_t bytes) const noexcept {
    if (bytes <= small_bytes) return bytes;
    return std::max(bytes, budget_.limit() / (is_strangers_ ? 4 : 8));
  }

  memory_budget& budget_;
  std::size_t bytes_ = 0;
  bool is_strangers_ = false;
};

/// The part of a memory_share that one growing object, such as a buffer, uses; the destructor
/// releases it. Thread-safety: as for memory_share.
class memory_lease {
 public:
  /// Reserves nothing yet. `of` must outlive this object.
  explicit memory_lease(memory_share& of) noexcept : share_(of) {}
  ~memory_lease() { release(); }
  memory_lease(const memory_lease&) = delete;
  memory_lease& operator=(const memory_lease&) = delete;

  /// Grows the reservation to `bytes` in total. If the share refuses, returns false and
  /// changes nothing. REQUIRES: `bytes` isn't less than bytes().
  [[nodiscard]] bool grow_to(std::size_t bytes) noexcept {
    if (!share_.reserve(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }
  /// Releases the whole reservation.
  void release() noexcept {
    share_.release(bytes_);
    bytes_ = 0;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  memory_share& share_;
  std::size_t bytes_ = 0;
};

}  // namespace scattergate::telemetry
