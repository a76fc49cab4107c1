#pragma once

#include <cstdint>

#include "routing/keys/decimal128.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// A key that orders numbers of all types by value: the number truncated to a double and, if
/// that isn't exact, its decimal digits (at most 34). Equal numbers have equal keys. Positive
/// and negative zero are equal. All NaNs are equal and precede other numbers (mongo:
/// base/compare_numbers.h).
struct number_key {
  std::uint64_t order = 0;  ///< sorts like the truncated double; NaN is 0
  bool exact = true;  ///< whether the double is exact; if so, the following members are unused
  bool negative = false;                         ///< whether the number is below zero
  int exponent = 0;                              ///< decimal128::normal_form::exponent
  decimal128::coefficient_type coefficient = 0;  ///< decimal128::normal_form::coefficient
};

/// The key of a double.
[[nodiscard]] number_key number_key_of(double value) noexcept;
/// The key of an integer.
[[nodiscard]] number_key number_key_of(std::int64_t value) noexcept;
/// The key of a Decimal128.
[[nodiscard]] number_key number_key_of(const decimal128& value) noexcept;

}  // namespace scattergate::routing
