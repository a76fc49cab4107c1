#include "routing/keys/interval.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace scattergate::routing {
namespace {

/// A position just before or just after a value. An interval contains everything between two
/// such positions, so included and excluded ends are compared in the same way.
struct cut {
  bytes_view value;
  bool behind;
};

int compare(const cut& left, const cut& right) noexcept {
  const int order = compare_encoded(left.value, right.value);
  return order != 0 ? order : static_cast<int>(left.behind) - static_cast<int>(right.behind);
}

cut begin_of(const interval& one) noexcept {
  return {one.low, !one.includes_low};
}
cut end_of(const interval& one) noexcept {
  return {one.high, one.includes_high};
}

interval between(const cut& begin, const cut& end) noexcept {
  return {begin.value, end.value, !begin.behind, end.behind};
}

bool is_nothing(const interval& one) noexcept {
  return compare(begin_of(one), end_of(one)) >= 0;
}

/// Whether an end couldn't be encoded, so that the interval isn't known.
bool is_unknown(const interval& one) noexcept {
  return one.low.empty() || one.high.empty();
}

/// Merges intervals in place; they must be sorted by begins_before(). Returns how many remain.
std::size_t merge(std::span<interval> sorted) noexcept {
  std::size_t kept = 0;
  for (const interval& next : sorted) {
    if (is_nothing(next)) continue;
    if (kept > 0 && compare(begin_of(next), end_of(sorted[kept - 1])) <= 0) {
      interval& last = sorted[kept - 1];
      if (compare(end_of(last), end_of(next)) < 0) {
        last.high = next.high;
        last.includes_high = next.includes_high;
      }
    } else {
      sorted[kept++] = next;
    }
  }
  return kept;
}

bool begins_before(const interval& left, const interval& right) noexcept {
  return compare(begin_of(left), begin_of(right)) < 0;
}

}  // namespace

bool interval::is_point() const noexcept {
  return includes_low && includes_high && !low.empty() && compare_encoded(low, high) == 0;
}

interval_set interval_set::full() noexcept {
  static const std::array<interval, 1> everything{
      interval{encoded_min_key(), encoded_max_key()}};
  return interval_set{everything};
}

interval_set interval_set::of(const interval& one, scratch& memory) noexcept {
  if (is_unknown(one)) return full();
  if (is_nothing(one)) return {};
  const auto room = memory.allocate<interval>(1);
  if (room.empty()) return full();
  room[0] = one;
  return interval_set{room};
}

interval_set interval_set::point(bytes_view value, scratch& memory) noexcept {
  return of({value, value}, memory);
}

interval_set interval_set::bracket(canonical_type type, scratch& memory) noexcept {
  return of({encoded_least_of(type), encoded_greatest_of(type), true, is_greatest_within(type)},
            memory);
}

interval_set interval_set::of_many(std::span<interval> unsorted, scratch& memory) noexcept {
  memory.work().charge(interval_units * unsorted.size());
  if (std::ranges::any_of(unsorted, is_unknown)) return full();
  if (!std::ranges::is_sorted(unsorted, begins_before)) {
    const auto steps = static_cast<std::size_t>(std::bit_width(unsorted.size()));
    memory.work().charge(interval_units * unsorted.size() * steps);
    std::ranges::sort(unsorted, begins_before);
  }
  return interval_set{unsorted.first(merge(unsorted))};
}

bool interval_set::is_full() const noexcept {
  if (intervals_.size() != 1) return false;
  const interval& one = intervals_.front();
  return one.includes_low && one.includes_high &&
         compare_encoded(one.low, encoded_min_key()) == 0 &&
         compare_encoded(one.high, encoded_max_key()) == 0;
}

bool interval_set::is_one_point() const noexcept {
  return intervals_.size() == 1 && intervals_.front().is_point();
}

bool interval_set::is_all_points() const noexcept {
  return !intervals_.empty() && std::ranges::all_of(intervals_, &interval::is_point);
}

interval_set interval_set::intersected(const interval_set& other,
                                       scratch& memory) const noexcept {
  if (is_empty() || other.is_full()) return *this;
  if (other.is_empty() || is_full()) return other;
  // Each step finishes one interval of one of the two sets, so there are fewer steps than
  // intervals.
  const auto room = memory.allocate<interval>(intervals_.size() + other.intervals_.size());
  if (room.empty()) return *this;
  memory.work().charge(interval_units * room.size());
  std::size_t kept = 0;
  for (std::size_t i = 0, j = 0; i < intervals_.size() && j < other.intervals_.size();) {
    const interval& left = intervals_[i];
    const interval& right = other.intervals_[j];
    const cut begin = begins_before(left, right) ? begin_of(right) : begin_of(left);
    const bool left_ends_first = compare(end_of(left), end_of(right)) < 0;
    const cut end = left_ends_first ? end_of(left) : end_of(right);
    if (compare(begin, end) < 0) room[kept++] = between(begin, end);
    left_ends_first ? ++i : ++j;
  }
  return interval_set{room.first(kept)};
}

interval_set interval_set::complement(scratch& memory) const noexcept {
  if (is_empty()) return full();
  const auto room = memory.allocate<interval>(intervals_.size() + 1);
  if (room.empty()) return full();
  memory.work().charge(interval_units * room.size());
  std::size_t kept = 0;
  cut begin{encoded_min_key(), false};
  for (const interval& one : intervals_) {
    if (compare(begin, begin_of(one)) < 0) room[kept++] = between(begin, begin_of(one));
    begin = end_of(one);
  }
  const cut end{encoded_max_key(), true};
  if (compare(begin, end) < 0) room[kept++] = between(begin, end);
  return interval_set{room.first(kept)};
}

}  // namespace scattergate::routing
