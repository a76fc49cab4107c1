#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The memory and the work budget (wire::work_budget: a limit on CPU time) for classifying one
/// command. The memory is a bump allocator over a fixed block. An allocation fails if the
/// block is exhausted or the budget is low; the caller then predicts wider bounds, never
/// narrower ones. Thread-safety: one thread at a time.
class scratch {
 public:
  /// Borrows `block`, which must outlive this object.
  explicit scratch(std::span<std::byte> block) noexcept : block_(block) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  /// Frees all allocations and clears is_exhausted(). Leaves the work budget unchanged.
  void reset() noexcept {
    used_ = 0;
    exhausted_ = false;
  }

  /// Allocates `count` uninitialised Ts. If the block has no room or the work budget is low,
  /// returns an empty span and sets is_exhausted().
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

  /// Extends `run` by `count` uninitialised Ts. `run` must be the last allocation, or empty to
  /// start a new one. If `run` is neither, or allocate() fails, returns false, leaves `run`
  /// unchanged and sets is_exhausted().
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

  /// Records a failed allocation: returns an empty span and sets is_exhausted().
  [[nodiscard]] std::span<std::byte> fail_allocation() noexcept { return fail<std::byte>(); }

  /// Whether an allocation has failed since the last reset().
  [[nodiscard]] bool is_exhausted() const noexcept { return exhausted_; }

  /// The work budget. Code that reads received bytes spends from it. Until set_work() is
  /// called, the largest budget that a message can have.
  [[nodiscard]] wire::work_budget& work() noexcept { return work_; }
  [[nodiscard]] const wire::work_budget& work() const noexcept { return work_; }
  /// Replaces the work budget, typically by the budget of the next message.
  void set_work(const wire::work_budget& work) noexcept { work_ = work; }

  /// The current position. rewind() with this position frees everything that is allocated
  /// later.
  [[nodiscard]] std::size_t mark() const noexcept { return used_; }
  /// Frees everything that was allocated after mark() returned `mark`.
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

/// The size of the block for classifying one command, in bytes.
inline constexpr std::size_t scratch_bytes = 256UL * 1024;

}  // namespace scattergate::routing
