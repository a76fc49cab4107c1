#include "routing/keys/number_key.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace scattergate::routing {
namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63U;

/// Maps doubles to unsigned numbers in the same order; for a negative double, complements the
/// magnitude.
std::uint64_t order_of(double magnitude, bool negative) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(magnitude) | sign_bit;
  return negative ? ~bits : bits;
}

number_key inexact(double truncated, const decimal128& value) noexcept {
  const auto normal = value.normalized();
  return {order_of(truncated, value.is_negative()), false, value.is_negative(), normal.exponent,
          normal.coefficient};
}

}  // namespace

number_key number_key_of(double value) noexcept {
  if (std::isnan(value)) return {};
  const bool negative = value < 0;  // false for -0, which equals 0
  return {order_of(std::fabs(value), negative), true, negative, 0, 0};
}

number_key number_key_of(std::int64_t value) noexcept {
  const bool negative = value < 0;
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  const int excess =
      static_cast<int>(std::bit_width(magnitude)) - std::numeric_limits<double>::digits;
  if (excess <= 0 || std::countr_zero(magnitude) >= excess) {
    return {order_of(static_cast<double>(magnitude), negative), true, negative, 0, 0};
  }
  const auto shift = static_cast<unsigned>(excess);
  return inexact(static_cast<double>(magnitude >> shift << shift), {magnitude, negative});
}

number_key number_key_of(const decimal128& value) noexcept {
  switch (value.what()) {
    case decimal128::kind::not_a_number:
      return {};
    case decimal128::kind::infinite:
      return number_key_of(value.is_negative() ? -std::numeric_limits<double>::infinity()
                                               : std::numeric_limits<double>::infinity());
    case decimal128::kind::finite:
      break;
  }
  const auto [magnitude, exact] = value.truncate();
  if (!exact) return inexact(magnitude, value);
  return number_key_of(value.is_negative() ? -magnitude : magnitude);
}

}  // namespace scattergate::routing
