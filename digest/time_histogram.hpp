#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace scattergate::digest {

/// How long commands took, on a logarithmic scale: four classes to each doubling, from a
/// microsecond to some twelve days, so that a quantile is told within 10 % of the true one.
/// Adding two is the same as having seen both.
class time_histogram {
 public:
  void add(std::chrono::nanoseconds duration, std::uint64_t times = 1) noexcept;
  void add(const time_histogram& other) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept;

  /// The duration below which `share` (0 to 1) of all lie, in the middle of its class; zero
  /// where there are none.
  [[nodiscard]] std::chrono::nanoseconds quantile(double share) const noexcept;

  /// Classes, and one's lower bound: for views and for what is stored.
  static constexpr std::size_t class_count = 4 * 40;
  [[nodiscard]] const std::array<std::uint64_t, class_count>& classes() const noexcept {
    return classes_;
  }
  [[nodiscard]] static std::chrono::nanoseconds lower_bound(std::size_t number) noexcept;
  [[nodiscard]] static std::size_t class_of(std::chrono::nanoseconds duration) noexcept;

 private:
  std::array<std::uint64_t, class_count> classes_{};
};

}  // namespace scattergate::digest
