#pragma once

#include <compare>

#include "sim/values/value.hpp"

/// MongoDB's order of BSON values of all types (manual: "BSON Types, Comparison/Sort Order").
/// Decimal128 is compared as the nearest long double: 34 digits are cut to about 19.
namespace scattergate::sim {

/// The rank of a type in that order; types with the same rank compare by content (mongo:
/// canonicalizeBSONType).
[[nodiscard]] int canonical_rank(bson_type type) noexcept;

[[nodiscard]] std::weak_ordering compare(const value& left, const value& right) noexcept;
[[nodiscard]] std::weak_ordering compare(const document& left, const document& right) noexcept;

/// Compares field by field; a prefix comes first.
[[nodiscard]] std::weak_ordering compare(const array& left, const array& right) noexcept;

/// Equality as in MongoDB: 1, 1.0 and NumberLong(1) are equal.
[[nodiscard]] inline bool is_equal(const value& left, const value& right) noexcept {
  return compare(left, right) == 0;
}

/// Orders values in the standard containers.
struct value_less {
  bool operator()(const value& left, const value& right) const noexcept {
    return compare(left, right) < 0;
  }
  bool operator()(const array& left, const array& right) const noexcept {
    return compare(left, right) < 0;
  }
};

}  // namespace scattergate::sim
