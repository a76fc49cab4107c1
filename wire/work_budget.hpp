#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "wire/limits.hpp"

namespace scattergate::wire {

/// The remaining work for one command: reading it, judging it, computing its shape. Every loop
/// over received bytes spends from it, so that no message costs more than its size allows. A
/// unit is about a nanosecond of a core.
///
/// It runs out in two steps. Once it `is_low`, code skips what narrows a judgement (the answer
/// widens), so that the rest can still be read; once it `is_spent`, loops stop.
///
///     for (element field; work.spend(field_units) && reader.next(field);) ...
class work_budget {
 public:
  /// The largest budget of any message.
  constexpr work_budget() noexcept : work_budget(limits::most_work) {}

  /// REQUIRES: `units` is at most limits::most_work.
  constexpr explicit work_budget(std::int64_t units) noexcept
      : left_(units), limit_(units), reserve_(units / 8) {}

  /// The budget of a message: linear in its bytes, up to the largest. A compressed message also
  /// pays by its compressed size, so that a small message can't buy a large one's work.
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

  /// Pays for work that follows or was just done; false if it exceeds the remaining budget.
  /// REQUIRES: `units` follow from the size of something in memory.
  [[nodiscard]] constexpr bool spend(std::size_t units) noexcept {
    left_ -= static_cast<std::int64_t>(units);
    return left_ >= 0;
  }

  /// Pays for work in a loop that doesn't stop by itself; a later check sees the result.
  constexpr void charge(std::size_t units) noexcept {
    left_ -= static_cast<std::int64_t>(units);
  }

  /// Spends all of the rest.
  constexpr void use_up() noexcept { left_ = std::min<std::int64_t>(left_, -1); }

  [[nodiscard]] constexpr bool is_low() const noexcept { return left_ < reserve_; }
  [[nodiscard]] constexpr bool is_spent() const noexcept { return left_ < 0; }

  /// What has been spent; may exceed limit() by the cost of the last step.
  [[nodiscard]] constexpr std::int64_t spent() const noexcept { return limit_ - left_; }
  [[nodiscard]] constexpr std::int64_t limit() const noexcept { return limit_; }

 private:
  std::int64_t left_;
  std::int64_t limit_;
  std::int64_t reserve_;
};

}  // namespace scattergate::wire
