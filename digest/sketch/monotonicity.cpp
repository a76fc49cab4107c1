#include "digest/sketch/monotonicity.hpp"

#include <algorithm>

namespace scattergate::digest {
namespace {

constexpr std::uint32_t least_values = 32;
constexpr std::uint32_t values_without_time = 1024;
constexpr std::int64_t least_seconds = 2;

}  // namespace

monotonicity::direction monotonicity::counts::told() const noexcept {
  constexpr std::uint64_t enough = 100;
  const auto is_most = [this](std::uint64_t count) { return count >= compared / 4 * 3; };
  if (compared < enough) return direction::unknown;
  if (is_most(ascending)) return direction::increasing;
  return is_most(descending) ? direction::decreasing : direction::none;
}

bool monotonicity::is_over(std::int64_t second) const noexcept {
  if (size_ < least_values) return false;
  if (second == 0) return size_ >= values_without_time;
  return second - begun_ >= least_seconds || second < begun_;
}

void monotonicity::begin_window(std::int64_t second) noexcept {
  if (size_ != 0) {
    constexpr std::size_t from_end = 3;  // a few outliers say nothing
    std::ranges::sort(sample_);
    low_ = sample_[from_end - 1];
    high_ = sample_[sample_size - from_end];
    has_before_ = true;
  }
  size_ = 0;
  begun_ = second;
}

void monotonicity::add(const order_key& value, std::int64_t second) noexcept {
  if (size_ == 0 || is_over(second)) begin_window(second);
  if (has_before_ && !(value == high_ && value == low_)) {
    ++counts_.compared;
    if (value > high_) ++counts_.ascending;
    if (value < low_) ++counts_.descending;
  }
  // A sample of all of the window (Vitter's algorithm R).
  std::uint32_t place = size_++;
  if (place >= sample_size) {
    random_ = random_ * 1664525U + 1013904223U;
    place = static_cast<std::uint32_t>(std::uint64_t{random_} * size_ >> 32U);
  }
  if (place < sample_size) sample_[place] = value;
}

}  // namespace scattergate::digest
