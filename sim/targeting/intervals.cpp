#include "sim/targeting/intervals.hpp"

#include <algorithm>
#include <limits>

namespace scattergate::sim {
namespace {

bool is_hollow(const interval& part) {
  const auto order = compare(part.from, part.to);
  return order > 0 || (order == 0 && !(part.has_from && part.has_to));
}

/// Whether `left` begins before `right` does.
bool begins_before(const interval& left, const interval& right) {
  const auto order = compare(left.from, right.from);
  return order < 0 || (order == 0 && left.has_from && !right.has_from);
}

/// Whether `left` ends before `right` does.
bool ends_before(const interval& left, const interval& right) {
  const auto order = compare(left.to, right.to);
  return order < 0 || (order == 0 && !left.has_to && right.has_to);
}

interval overlap(const interval& left, const interval& right) {
  interval out;
  const bool right_begins = begins_before(left, right);
  out.from = right_begins ? right.from : left.from;
  out.has_from = right_begins ? right.has_from : left.has_from;
  const auto order = compare(left.to, right.to);
  out.to = order < 0 ? left.to : right.to;
  out.has_to =
      order < 0 ? left.has_to : (order > 0 ? right.has_to : left.has_to && right.has_to);
  return out;
}

/// Whether `next`, which begins no earlier, continues `last` without a gap.
bool touches(const interval& last, const interval& next) {
  const auto order = compare(next.from, last.to);
  return order < 0 || (order == 0 && (last.has_to || next.has_from));
}

void extend(interval& last, const interval& next) {
  const auto order = compare(next.to, last.to);
  if (order < 0) return;
  last.has_to = next.has_to || (order == 0 && last.has_to);
  last.to = next.to;
}

}  // namespace

bool interval::is_point() const {
  return has_from && has_to && is_equal(from, to);
}

value_set value_set::everything() {
  return between({min_key{}, max_key{}});
}

value_set value_set::point(const value& only) {
  return between({only, only});
}

value_set value_set::between(interval only) {
  value_set out;
  if (!is_hollow(only)) out.parts_.push_back(std::move(only));
  return out;
}

value_set value_set::bracket(bson_type of) {
  using limits64 = std::numeric_limits<std::int64_t>;
  constexpr auto all_ones = std::numeric_limits<std::uint32_t>::max();
  switch (of) {
    case bson_type::int32:
    case bson_type::int64:
    case bson_type::float64:
    case bson_type::decimal128:
      return between(
          {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()});
    case bson_type::string:
    case bson_type::symbol:
      return between({"", document{}, true, false});
    case bson_type::document:
      return between({document{}, array{}, true, false});
    case bson_type::array:
      return between({array{}, binary{}, true, false});
    case bson_type::binary:
      return between({binary{}, object_id{}, true, false});
    case bson_type::object_id: {
      object_id highest;
      highest.bytes.fill(0xff);
      return between({object_id{}, highest});
    }
    case bson_type::boolean:
      return between({false, true});
    case bson_type::date:
      return between({date{limits64::min()}, date{limits64::max()}});
    case bson_type::timestamp:
      return between({timestamp{}, timestamp{all_ones, all_ones}});
    case bson_type::regex:
      return between({regex{}, db_pointer{}, true, false});
    case bson_type::null:
      return point(null{});
    case bson_type::undefined:
      return point(undefined{});
    case bson_type::min_key:
      return point(min_key{});
    case bson_type::max_key:
      return point(max_key{});
    default:
      return between({db_pointer{}, max_key{}, true, false});  // code and DBPointer
  }
}

value_set value_set::any_of(std::vector<interval> several) {
  if (!std::is_sorted(several.begin(), several.end(), begins_before)) {
    std::sort(several.begin(), several.end(), begins_before);
  }
  value_set out;
  out.parts_.reserve(several.size());
  for (interval& each : several) {
    if (!out.parts_.empty() && touches(out.parts_.back(), each)) {
      extend(out.parts_.back(), each);
    } else {
      out.parts_.push_back(std::move(each));
    }
  }
  return out;
}

value_set value_set::and_also(const value_set& other) const {
  if (is_everything()) return other;
  if (parts_.empty() || other.is_everything()) return *this;
  value_set out;
  auto mine = parts_.begin();
  auto theirs = std::partition_point(
      other.parts_.begin(), other.parts_.end(),
      [mine](const interval& each) { return compare(each.to, mine->from) < 0; });
  while (mine != parts_.end() && theirs != other.parts_.end()) {
    interval both = overlap(*mine, *theirs);
    if (!is_hollow(both)) out.parts_.push_back(std::move(both));
    // The interval that ends first meets nothing later.
    if (ends_before(*mine, *theirs)) {
      ++mine;
    } else {
      ++theirs;
    }
  }
  return out;
}

value_set value_set::or_else(const value_set& other) const {
  std::vector<interval> all = parts_;
  all.insert(all.end(), other.parts_.begin(), other.parts_.end());
  return any_of(std::move(all));
}

value_set value_set::inverse() const {
  value_set out;
  interval gap{min_key{}, max_key{}};
  for (const interval& each : parts_) {
    gap.to = each.from;
    gap.has_to = !each.has_from;
    if (!is_hollow(gap)) out.parts_.push_back(gap);
    gap.from = each.to;
    gap.has_from = !each.has_to;
  }
  gap.to = max_key{};
  gap.has_to = true;
  if (!is_hollow(gap)) out.parts_.push_back(gap);
  return out;
}

bool value_set::is_everything() const {
  return parts_.size() == 1 && parts_[0].from.is<min_key>() && parts_[0].to.is<max_key>() &&
         parts_[0].has_from && parts_[0].has_to;
}

bool value_set::is_points() const {
  return !parts_.empty() && std::all_of(parts_.begin(), parts_.end(),
                                        [](const interval& each) { return each.is_point(); });
}

}  // namespace scattergate::sim
