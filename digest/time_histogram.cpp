#include "digest/time_histogram.hpp"

#include <algorithm>
#include <cmath>

namespace scattergate::digest {

std::chrono::nanoseconds time_histogram::lower_bound(std::size_t number) noexcept {
  const std::size_t log = least_log + number / per_doubling;
  const std::uint64_t whole = std::uint64_t{1} << log;
  return std::chrono::nanoseconds{
      static_cast<std::int64_t>(whole + (whole / per_doubling) * (number % per_doubling))};
}

void time_histogram::add_to(std::size_t number, std::uint64_t times) {
  if (times == 0) return;
  const auto place =
      std::lower_bound(counted_.begin(), counted_.end(), number,
                       [](const counted& one, std::size_t at) { return one.number < at; });
  if (place != counted_.end() && place->number == number) {
    place->count += times;
  } else {
    counted_.insert(place, {number, times});
  }
}

void time_histogram::add(std::chrono::nanoseconds duration, std::uint64_t times) {
  add_to(bucket_of(duration), times);
}

void time_histogram::add(const time_histogram& other) {
  for (const counted& one : other.counted_) add_to(one.number, one.count);
}

void time_histogram::make_room_for(const time_histogram& other) {
  if (other.counted_.size() <= counted_.capacity() - counted_.size()) return;
  std::size_t missing = 0;
  auto own = counted_.begin();
  for (const counted& one : other.counted_) {
    while (own != counted_.end() && own->number < one.number) ++own;
    if (own == counted_.end() || own->number != one.number) ++missing;
  }
  counted_.reserve(counted_.size() + missing);
}

void time_histogram::subtract(const time_histogram& earlier) noexcept {
  auto was = earlier.counted_.begin();
  for (counted& one : counted_) {
    while (was != earlier.counted_.end() && was->number < one.number) ++was;
    if (was == earlier.counted_.end()) break;
    if (was->number == one.number) one.count -= std::min(one.count, was->count);
  }
  std::erase_if(counted_, [](const counted& one) { return one.count == 0; });
}

std::array<std::uint64_t, time_histogram::bucket_count> time_histogram::bucket_counts()
    const noexcept {
  std::array<std::uint64_t, bucket_count> all{};
  for (const counted& one : counted_) all[one.number] = one.count;
  return all;
}

std::uint64_t time_histogram::count() const noexcept {
  std::uint64_t all = 0;
  for (const counted& one : counted_) all += one.count;
  return all;
}

std::chrono::nanoseconds time_histogram::quantile(double share) const noexcept {
  const std::uint64_t all = count();
  if (all == 0) return std::chrono::nanoseconds{0};
  const auto rank = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all))));
  std::uint64_t seen = 0;
  std::size_t at = counted_.back().number;
  for (const counted& one : counted_) {
    seen += one.count;
    if (seen < rank) continue;
    at = one.number;
    break;
  }
  return (lower_bound(at) + lower_bound(at + 1)) / 2;
}

}  // namespace scattergate::digest
