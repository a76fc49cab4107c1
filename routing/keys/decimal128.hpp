#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::routing {

/// A decoded Decimal128 (IEEE 754-2008, binary integer encoding): coefficient × 10^exponent. A
/// coefficient of more than 34 digits counts as zero, as the format specifies. Thread-safety:
/// immutable.
class decimal128 {
 public:
  /// An unsigned integer with room for 34 decimal digits.
  __extension__ using coefficient_type = unsigned __int128;

  enum class kind : std::uint8_t { finite, infinite, not_a_number };

  /// The maximum number of digits of a coefficient.
  static constexpr int max_digits = 34;

  /// The integer with this magnitude and sign.
  decimal128(std::uint64_t magnitude, bool negative) noexcept
      : coefficient_(magnitude), negative_(negative) {}

  /// Decodes the 16 bytes of a BSON Decimal128.
  explicit decimal128(std::span<const std::byte, 16> value) noexcept;

  /// Whether the value is finite, infinite or NaN.
  [[nodiscard]] kind what() const noexcept { return kind_; }
  /// Whether the sign bit is set; true for -0.
  [[nodiscard]] bool is_negative() const noexcept { return negative_; }

  /// A magnitude as a double. `exact`: the double equals the original.
  struct truncated {
    double magnitude;
    bool exact;
  };
  /// The magnitude as a double, rounded towards zero; at most the largest finite double.
  /// REQUIRES: what() is finite.
  [[nodiscard]] truncated truncate() const noexcept;

  /// The nearest double, ties to even (mongo: bson/bsonelement.h, numberDouble).
  [[nodiscard]] double to_double() const noexcept;

  /// The unique representation of a magnitude: a coefficient of exactly 34 digits, and the
  /// decimal exponent of the coefficient's first digit.
  struct normal_form {
    coefficient_type coefficient;
    int exponent;
  };
  /// The magnitude's unique representation. REQUIRES: the value is finite and not zero.
  [[nodiscard]] normal_form normalized() const noexcept;

  /// The nearest integer, ties to even, clamped to int64; 0 for NaN (mongo:
  /// platform/decimal128.h toLong, bson/bsonelement.h safeNumberLong).
  [[nodiscard]] std::int64_t to_int64() const noexcept;

 private:
  [[nodiscard]] std::uint64_t rounded_magnitude() const noexcept;

  coefficient_type coefficient_ = 0;
  int exponent_ = 0;
  kind kind_ = kind::finite;
  bool negative_ = false;
};

}  // namespace scattergate::routing
