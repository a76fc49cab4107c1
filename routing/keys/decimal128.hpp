#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::routing {

/// A decomposed Decimal128 (IEEE 754-2008, binary integer coefficient): coefficient times ten
/// to the exponent. Coefficients of more than 34 digits count as zero, according to the format.
class decimal128 {
 public:
  __extension__ using coefficient_type = unsigned __int128;

  enum class kind : std::uint8_t { finite, infinite, not_a_number };

  /// The maximum number of digits of a coefficient.
  static constexpr int max_digits = 34;

  /// The integer `magnitude`, negated if `negative`.
  decimal128(std::uint64_t magnitude, bool negative) noexcept
      : coefficient_(magnitude), negative_(negative) {}

  explicit decimal128(std::span<const std::byte, 16> value) noexcept;

  [[nodiscard]] kind what() const noexcept { return kind_; }
  [[nodiscard]] bool is_negative() const noexcept { return negative_; }

  /// The magnitude as a double, rounded towards zero (the largest finite one if it is larger),
  /// and whether that is exact. REQUIRES: finite.
  struct truncated {
    double magnitude;
    bool exact;
  };
  [[nodiscard]] truncated truncate() const noexcept;

  /// The unique representation of a magnitude: a coefficient of exactly 34 digits, and the
  /// power of ten of its first digit. REQUIRES: finite and not zero.
  struct normal_form {
    coefficient_type coefficient;
    int exponent;
  };
  [[nodiscard]] normal_form normalized() const noexcept;

  /// Rounds to the nearest integer, ties to even, clamped to int64; NaN is 0 (mongo:
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
