#pragma once

#include <cstdint>

#include "routing/keys/decimal128.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// The sort key of a number among numbers of all types: the double that it truncates to and, if
/// that isn't exact, its decimal digits (at most 34). Equal numbers have equal keys. Positive
/// and negative zero are equal; all NaNs are equal and come first (mongo:
/// base/compare_numbers.h).
struct number_key {
  std::uint64_t order = 0;  ///< sorts like the truncated double; NaN is 0
  bool exact = true;        ///< the double is exact; the following members are unused
  bool negative = false;
  int exponent = 0;  ///< as in decimal128::normal_form
  decimal128::coefficient_type coefficient = 0;
};

[[nodiscard]] number_key number_key_of(double value) noexcept;
[[nodiscard]] number_key number_key_of(std::int64_t value) noexcept;
[[nodiscard]] number_key number_key_of(const decimal128& value) noexcept;

}  // namespace scattergate::routing
