#include "digest/time_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace scattergate::digest {
namespace {

constexpr std::size_t per_doubling = 4;

/// Durations are told apart from here on: 2^10 ns, about a microsecond.
constexpr unsigned least_log = 10;

}  // namespace

std::size_t time_histogram::class_of(std::chrono::nanoseconds duration) noexcept {
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 1));
  const auto log = static_cast<unsigned>(std::bit_width(ns) - 1);
  if (log < least_log) return 0;
  const std::uint64_t quarter = (ns >> (log - 2)) & 3;
  return std::min<std::size_t>((log - least_log) * per_doubling + quarter, class_count - 1);
}

std::chrono::nanoseconds time_histogram::lower_bound(std::size_t number) noexcept {
  const std::size_t log = least_log + number / per_doubling;
  const std::uint64_t whole = std::uint64_t{1} << log;
  return std::chrono::nanoseconds{
      static_cast<std::int64_t>(whole + (whole / per_doubling) * (number % per_doubling))};
}

void time_histogram::add(std::chrono::nanoseconds duration, std::uint64_t times) noexcept {
  classes_[class_of(duration)] += times;
}

void time_histogram::add(const time_histogram& other) noexcept {
  for (std::size_t i = 0; i < class_count; ++i) classes_[i] += other.classes_[i];
}

std::uint64_t time_histogram::count() const noexcept {
  return std::accumulate(classes_.begin(), classes_.end(), std::uint64_t{0});
}

std::chrono::nanoseconds time_histogram::quantile(double share) const noexcept {
  const std::uint64_t all = count();
  if (all == 0) return std::chrono::nanoseconds{0};
  const auto wanted = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all))));
  std::uint64_t seen = 0;
  std::size_t at = 0;
  while (at + 1 < class_count && (seen += classes_[at]) < wanted) ++at;
  return (lower_bound(at) + lower_bound(at + 1)) / 2;
}

}  // namespace scattergate::digest
