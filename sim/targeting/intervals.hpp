#pragma once

#include <vector>

#include "sim/values/value.hpp"

/// Sets of values, as sorted and disjoint intervals in MongoDB's order of values.
namespace scattergate::sim {

/// A range of values in MongoDB's order.
struct interval {
  value from;
  value to;
  bool has_from = true;  ///< whether the range includes `from`
  bool has_to = true;    ///< whether the range includes `to`

  /// Whether the range contains exactly one value.
  [[nodiscard]] bool is_point() const;
};

/// A set of values. Thread-safety: immutable.
class value_set {
 public:
  /// The set of all values.
  [[nodiscard]] static value_set everything();
  /// The empty set.
  [[nodiscard]] static value_set nothing() { return value_set{}; }
  /// The set of one value.
  [[nodiscard]] static value_set point(const value& only);
  /// The values in one interval, which may be empty.
  [[nodiscard]] static value_set between(interval only);
  /// The union of intervals, which may overlap.
  [[nodiscard]] static value_set any_of(std::vector<interval> several);
  /// All values of the types that MongoDB compares with the type `of`: for int32, all numbers.
  [[nodiscard]] static value_set bracket(bson_type of);

  /// The intersection of this set and `other`.
  [[nodiscard]] value_set and_also(const value_set& other) const;
  /// The union of this set and `other`.
  [[nodiscard]] value_set or_else(const value_set& other) const;
  /// The complement: all values that aren't in this set.
  [[nodiscard]] value_set inverse() const;

  /// Whether the set contains all values.
  [[nodiscard]] bool is_everything() const;
  [[nodiscard]] bool is_empty() const noexcept { return parts_.empty(); }
  /// Whether the set consists of single values instead of ranges. False for the empty set.
  [[nodiscard]] bool is_points() const;
  /// The intervals, sorted and disjoint.
  [[nodiscard]] const std::vector<interval>& parts() const noexcept { return parts_; }

 private:
  std::vector<interval> parts_;
};

}  // namespace scattergate::sim
