#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// What the caller lends for the working of one judgement. Memory: a bump allocator over a
/// fixed block that never grows. When it is exhausted, allocations fail, and who meets the
/// failure widens its answer (never narrows it). And work: what its loops may cost
/// (wire::work_budget); while that is low no more memory is given, so that the answer widens in
/// the same way.
class scratch {
 public:
  explicit scratch(std::span<std::byte> block) noexcept : block_(block) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  /// Forgets everything that was allocated, and that it was ever exhausted. What has been
  /// spent of the work stays so.
  void reset() noexcept {
    used_ = 0;
    exhausted_ = false;
  }

  /// `count` uninitialised Ts, or an empty span when the block has no room left for them.
  template <typename T>
  [[nodiscard]] std::span<T> take(std::size_t count) noexcept {
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

  /// `count` more uninitialised Ts behind those of `run`, which were taken last (an empty run
  /// begins with them). False, with the run as it was, when there is no room left or something
  /// else has been taken since.
  template <typename T>
  [[nodiscard]] bool extend(std::span<T>& run, std::size_t count = 1) noexcept {
    const auto* const end = reinterpret_cast<const std::byte*>(run.data() + run.size());
    if (!run.empty() && end != block_.data() + used_) {
      exhausted_ = true;
      return false;
    }
    const auto next = take<T>(count);
    if (next.size() != count) return false;
    run = {run.empty() ? next.data() : run.data(), run.size() + count};
    return true;
  }

  /// What an allocation gives that fails.
  [[nodiscard]] std::span<std::byte> refuse() noexcept { return fail<std::byte>(); }

  /// Whether an allocation has failed since the last reset.
  [[nodiscard]] bool is_exhausted() const noexcept { return exhausted_; }

  /// Whoever reads what somebody sent spends of it. Memory lent for nothing of the kind has the
  /// largest budget there is.
  [[nodiscard]] wire::work_budget& work() noexcept { return work_; }
  [[nodiscard]] const wire::work_budget& work() const noexcept { return work_; }
  void set_work(const wire::work_budget& work) noexcept { work_ = work; }

  /// How much is in use; give it to rewind() to free all that was taken since.
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

/// What a worker lends its judgements.
inline constexpr std::size_t scratch_bytes = 256UL * 1024;

}  // namespace scattergate::routing
