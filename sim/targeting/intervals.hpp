#pragma once

#include <string_view>
#include <vector>

#include "sim/values/value.hpp"

/// Sets of values, as sorted and disjoint intervals in MongoDB's order of values.
namespace scattergate::sim {

/// A range of values. `has_from`, `has_to`: whether it includes its ends.
struct interval {
  value from;
  value to;
  bool has_from = true;
  bool has_to = true;

  /// Whether it contains exactly one value.
  [[nodiscard]] bool is_point() const;
};

/// A set of values. Thread-safety: immutable.
class value_set {
 public:
  [[nodiscard]] static value_set everything();
  [[nodiscard]] static value_set nothing() { return value_set{}; }
  [[nodiscard]] static value_set point(const value& only);
  [[nodiscard]] static value_set points(std::vector<value> several);
  [[nodiscard]] static value_set between(interval only);
  /// The union of intervals, which may overlap.
  [[nodiscard]] static value_set any_of(std::vector<interval> several);
  /// All values whose type is compared with `of`.
  [[nodiscard]] static value_set bracket(bson_type of);

  /// The intersection.
  [[nodiscard]] value_set and_also(const value_set& other) const;
  /// The union.
  [[nodiscard]] value_set or_else(const value_set& other) const;
  /// The complement.
  [[nodiscard]] value_set inverse() const;

  [[nodiscard]] bool is_everything() const;
  [[nodiscard]] bool is_empty() const noexcept { return parts_.empty(); }
  /// Whether the set consists of single values.
  [[nodiscard]] bool is_points() const;
  [[nodiscard]] const std::vector<interval>& parts() const noexcept { return parts_; }

 private:
  std::vector<interval> parts_;
};

}  // namespace scattergate::sim
