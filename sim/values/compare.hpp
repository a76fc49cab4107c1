#pragma once

#include <compare>

#include "sim/values/value.hpp"

/// MongoDB's order over BSON values of all types (manual: "BSON Types, Comparison/Sort Order").
/// Decimal128 is compared through its nearest long double: 34 digits are cut to about 19.
namespace scattergate::sim {

/// The rank of a type in that order; types of one rank compare by content
/// (mongo: canonicalizeBSONType).
[[nodiscard]] int canonical_rank(bson_type type) noexcept;

[[nodiscard]] std::weak_ordering compare(const value& left, const value& right) noexcept;
[[nodiscard]] std::weak_ordering compare(const document& left, const document& right) noexcept;

/// Field by field, the shorter first where it is a prefix.
[[nodiscard]] std::weak_ordering compare(const array& left, const array& right) noexcept;

/// Equal as MongoDB compares: 1, 1.0 and NumberLong(1) are.
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
