#pragma once

#include <compare>

#include "sim/values/value.hpp"

/// MongoDB's order of BSON values of all types (manual: "BSON Types, Comparison/Sort Order").
/// Decimal128 is compared as the nearest long double, which keeps about 19 of its 34 digits.
namespace scattergate::sim {

/// The rank of a type in MongoDB's order of BSON values. Types with the same rank are compared
/// by value (mongo: canonicalizeBSONType).
[[nodiscard]] int canonical_rank(bson_type type) noexcept;

/// Compares two values in MongoDB's order.
[[nodiscard]] std::weak_ordering compare(const value& left, const value& right) noexcept;
/// Compares two documents field by field.
[[nodiscard]] std::weak_ordering compare(const document& left, const document& right) noexcept;

/// Compares two arrays member by member. An array precedes a longer one that begins with the
/// same members.
[[nodiscard]] std::weak_ordering compare(const array& left, const array& right) noexcept;

/// Equality as in MongoDB: 1, 1.0 and NumberLong(1) are equal.
[[nodiscard]] inline bool is_equal(const value& left, const value& right) noexcept {
  return compare(left, right) == 0;
}

/// MongoDB's order as a comparator, for std::set and std::map.
struct value_less {
  bool operator()(const value& left, const value& right) const noexcept {
    return compare(left, right) < 0;
  }
  bool operator()(const array& left, const array& right) const noexcept {
    return compare(left, right) < 0;
  }
};

}  // namespace scattergate::sim
