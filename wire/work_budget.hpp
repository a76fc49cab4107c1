#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "wire/limits.hpp"

namespace scattergate::wire {

/// What may still be done for one command: reading it, judging it, its shape. Every loop over
/// bytes that somebody sent spends of it, whatever it does with them, so that no message costs
/// more than its size allows. A unit is about a nanosecond of a core.
///
/// It runs out in two steps. While it `is_low` what narrows a judgement is left out (the answer
/// widens), so that the rest can still be read; when it `is_spent` loops end where they are.
///
///     for (element field; work.spend(field_units) && reader.next(field);) ...
class work_budget {
 public:
  /// The largest that any message gets.
  constexpr work_budget() noexcept : work_budget(limits::most_work) {}

  /// REQUIRES: `units` is at most limits::most_work.
  constexpr explicit work_budget(std::int64_t units) noexcept
      : left_(units), limit_(units), reserve_(units / 8) {}

  /// The budget of a message: linear in its bytes, up to what the largest gets. One that came
  /// packed pays by what came too, so that a small message can't buy the work of a large one.
  [[nodiscard]] static constexpr work_budget for_message(std::size_t bytes,
                                                         std::size_t bytes_that_came) noexcept {
    const std::size_t counted =
        std::min({bytes, bytes_that_came * limits::work_unpacking, limits::max_message_bytes});
    return work_budget{std::min(
        limits::most_work,
        limits::least_work + limits::work_per_byte * static_cast<std::int64_t>(counted))};
  }
  [[nodiscard]] static constexpr work_budget for_message(std::size_t bytes) noexcept {
    return for_message(bytes, bytes);
  }

  /// Pays for work about to be done, or just done; false when that was more than there was.
  /// REQUIRES: `units` follow from the size of something that is in memory.
  [[nodiscard]] constexpr bool spend(std::size_t units) noexcept {
    left_ -= static_cast<std::int64_t>(units);
    return left_ >= 0;
  }

  /// The same where the loop goes on anyway, and somebody else will look.
  constexpr void charge(std::size_t units) noexcept {
    left_ -= static_cast<std::int64_t>(units);
  }

  /// Nothing more is worth the work.
  constexpr void use_up() noexcept { left_ = std::min<std::int64_t>(left_, -1); }

  [[nodiscard]] constexpr bool is_low() const noexcept { return left_ < reserve_; }
  [[nodiscard]] constexpr bool is_spent() const noexcept { return left_ < 0; }

  /// What has been spent; may exceed limit() by what the last step cost.
  [[nodiscard]] constexpr std::int64_t spent() const noexcept { return limit_ - left_; }
  [[nodiscard]] constexpr std::int64_t limit() const noexcept { return limit_; }

 private:
  std::int64_t left_;
  std::int64_t limit_;
  std::int64_t reserve_;
};

}  // namespace scattergate::wire
