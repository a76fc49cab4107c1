#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::digest {

/// How long commands took, on a logarithmic scale: four classes to each doubling, from a
/// microsecond to some twelve days, so that a quantile is told within 10 % of the true one.
/// Adding two is the same as having seen both. Only the classes that have any take memory: a
/// table has one of these for each of its rows.
class time_histogram {
 public:
  void add(std::chrono::nanoseconds duration, std::uint64_t times = 1);
  /// The same of durations whose class is known.
  void add_to(std::size_t number, std::uint64_t times);
  void add(const time_histogram& other);

  /// Makes room for adding another, which takes no memory then.
  void make_room_for(const time_histogram& other);
  /// Takes away what an earlier state of this one had.
  void subtract(const time_histogram& earlier) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept;
  /// What it takes beside itself; never more than the parts that were added.
  [[nodiscard]] std::size_t bytes() const noexcept { return counted_.size() * sizeof(counted); }

  /// The duration below which `share` (0 to 1) of all lie, in the middle of its class; zero
  /// where there are none.
  [[nodiscard]] std::chrono::nanoseconds quantile(double share) const noexcept;

  /// Classes, and one's lower bound: for views and for what is stored.
  static constexpr std::size_t class_count = std::size_t{4} * 40;
  [[nodiscard]] std::array<std::uint64_t, class_count> classes() const noexcept;
  [[nodiscard]] static std::chrono::nanoseconds lower_bound(std::size_t number) noexcept;
  [[nodiscard]] static std::size_t class_of(std::chrono::nanoseconds duration) noexcept {
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 1));
    const auto log = static_cast<unsigned>(std::bit_width(ns) - 1);
    if (log < least_log) return 0;
    const std::uint64_t quarter = (ns >> (log - 2)) & 3;
    return std::min<std::size_t>((log - least_log) * per_doubling + quarter, class_count - 1);
  }

  friend bool operator==(const time_histogram&, const time_histogram&) = default;

 private:
  static constexpr std::size_t per_doubling = 4;
  /// Durations are told apart from here on: 2^10 ns, about a microsecond.
  static constexpr unsigned least_log = 10;

  struct counted {
    std::size_t number;  ///< of the class
    std::uint64_t count;
    friend bool operator==(const counted&, const counted&) = default;
  };

  std::vector<counted> counted_;  ///< in the classes' order, none of them empty
};

}  // namespace scattergate::digest
