#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "wire/limits.hpp"

namespace scattergate::wire {

/// Limits the CPU time for one message: for reading it, judging it (predicting which shards
/// mongos asks), and computing its query shape. All loops over received bytes spend from this
/// budget, so the cost of a message is limited by its size. A unit is about a nanosecond.
/// Thread-safety: one thread at a time.
///
/// The budget runs out in two steps. Once is_low() is true, code skips the work that only
/// makes a judgement more precise, so that the rest of the message can still be read. Once
/// is_spent() is true, loops stop.
///
///     for (element field; work.spend(field_units) && reader.next(field);) ...
class work_budget {
 public:
  /// The largest budget of any message.
  constexpr work_budget() noexcept : work_budget(limits::most_work) {}

  /// REQUIRES: `units` is at most limits::most_work.
  constexpr explicit work_budget(std::int64_t units) noexcept
      : left_(units), limit_(units), reserve_(units / 8) {}

  /// The budget of a message: grows with the message's size, up to limits::most_work. `bytes`:
  /// the decompressed size. `wire_bytes`: the size as sent. It also limits the budget, so that
  /// a small compressed message can't cause the work of a large one.
  [[nodiscard]] static constexpr work_budget for_message(std::size_t bytes,
                                                         std::size_t wire_bytes) noexcept {
    const std::size_t counted = std::min(
        {bytes, wire_bytes * limits::budgeted_unpack_ratio, limits::max_message_bytes});
    return work_budget{std::min(
        limits::most_work,
        limits::least_work + limits::work_per_byte * static_cast<std::int64_t>(counted))};
  }
  /// The budget of a message that was sent uncompressed. `bytes`: the message's size.
  [[nodiscard]] static constexpr work_budget for_message(std::size_t bytes) noexcept {
    return for_message(bytes, bytes);
  }

  /// Spends `units`. Returns false if more than the budget is spent. REQUIRES: `units` is
  /// proportional to the size of data in memory, so that the counter can't overflow.
  [[nodiscard]] constexpr bool spend(std::size_t units) noexcept {
    left_ -= static_cast<std::int64_t>(units);
    return left_ >= 0;
  }

  /// Spends `units` without a check; a later spend() or is_spent() detects that the budget is
  /// exceeded.
  constexpr void charge(std::size_t units) noexcept {
    left_ -= static_cast<std::int64_t>(units);
  }

  /// Spends the rest of the budget: from now on, is_spent() is true.
  constexpr void use_up() noexcept { left_ = std::min<std::int64_t>(left_, -1); }

  /// Whether less than an eighth of the budget is left.
  [[nodiscard]] constexpr bool is_low() const noexcept { return left_ < reserve_; }
  /// Whether more than the budget was spent.
  [[nodiscard]] constexpr bool is_spent() const noexcept { return left_ < 0; }

  /// The units spent so far; may exceed limit() by the cost of the last step.
  [[nodiscard]] constexpr std::int64_t spent() const noexcept { return limit_ - left_; }
  /// The whole budget, in units.
  [[nodiscard]] constexpr std::int64_t limit() const noexcept { return limit_; }

 private:
  std::int64_t left_;
  std::int64_t limit_;
  std::int64_t reserve_;
};

}  // namespace scattergate::wire
