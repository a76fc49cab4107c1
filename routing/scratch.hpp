#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The resources for one judgement: a bump allocator over a fixed block, and a work budget
/// (wire::work_budget). When the block is exhausted or the budget is low, allocations fail;
/// code then widens its result and never narrows it. Thread-safety: one thread at a time.
class scratch {
 public:
  explicit scratch(std::span<std::byte> block) noexcept : block_(block) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  /// Frees all allocations and clears is_exhausted(). Doesn't restore the work budget.
  void reset() noexcept {
    used_ = 0;
    exhausted_ = false;
  }

  /// Allocates `count` uninitialised Ts. Returns an empty span if there is no room or the work
  /// budget is low.
  template <typename T>
  [[nodiscard]] std::span<T> allocate(std::size_t count) noexcept {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count > block_.size() / sizeof(T) || work_.is_low()) return fail<T>();
    const std::size_t misaligned =
        reinterpret_cast<std::uintptr_t>(block_.data() + used_) % alignof(T);
    const std::size_t padding = misaligned == 0 ? 0 : alignof(T) - misaligned;
    const std::size_t bytes = count * sizeof(T);
    if (block_.size() - used_ < padding || block_.size() - used_ - padding < bytes) {
      return fail<T>();
    }
    auto* begin = reinterpret_cast<T*>(block_.data() + used_ + padding);
    used_ += padding + bytes;
    return {begin, count};
  }

  /// Extends `run`, the last allocation, by `count` uninitialised Ts; an empty run starts a new
  /// one. Returns false and leaves the run unchanged if there is no room, or `run` isn't the
  /// last allocation.
  template <typename T>
  [[nodiscard]] bool extend(std::span<T>& run, std::size_t count = 1) noexcept {
    const auto* const end = reinterpret_cast<const std::byte*>(run.data() + run.size());
    if (!run.empty() && end != block_.data() + used_) {
      exhausted_ = true;
      return false;
    }
    const auto next = allocate<T>(count);
    if (next.size() != count) return false;
    run = {run.empty() ? next.data() : run.data(), run.size() + count};
    return true;
  }

  /// Fails an allocation: returns an empty span and sets is_exhausted().
  [[nodiscard]] std::span<std::byte> refuse() noexcept { return fail<std::byte>(); }

  /// Whether an allocation has failed since the last reset().
  [[nodiscard]] bool is_exhausted() const noexcept { return exhausted_; }

  /// The work budget. Code that reads received bytes spends from it. Initially the largest
  /// budget.
  [[nodiscard]] wire::work_budget& work() noexcept { return work_; }
  [[nodiscard]] const wire::work_budget& work() const noexcept { return work_; }
  void set_work(const wire::work_budget& work) noexcept { work_ = work; }

  /// The current position; pass it to rewind() to free all later allocations.
  [[nodiscard]] std::size_t mark() const noexcept { return used_; }
  void rewind(std::size_t mark) noexcept { used_ = mark; }

 private:
  template <typename T>
  [[nodiscard]] std::span<T> fail() noexcept {
    exhausted_ = true;
    return {};
  }

  std::span<std::byte> block_;
  wire::work_budget work_;
  std::size_t used_ = 0;
  bool exhausted_ = false;
};

/// The size of a judgement's scratch memory, in bytes.
inline constexpr std::size_t scratch_bytes = 256UL * 1024;

}  // namespace scattergate::routing
