#include "routing/keys/decimal128.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "wire/endian.hpp"

namespace scattergate::routing {
namespace {

using uint128 = decimal128::coefficient_type;

constexpr int exponent_bias = 6176;

/// Every power of ten below 2^128.
constexpr auto powers_of_ten = [] {
  std::array<uint128, 39> powers{1};
  for (std::size_t i = 1; i != powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

constexpr uint128 power_of_ten(int exponent) noexcept {
  return powers_of_ten[static_cast<std::size_t>(exponent)];
}

constexpr uint128 beyond_coefficients = power_of_ten(decimal128::max_digits);

/// The number of decimal digits. Computed without a division: the number of bits times log10(2)
/// is the number of digits, or one less.
int digits_of(uint128 coefficient) noexcept {
  const auto high = static_cast<std::uint64_t>(coefficient >> 64U);
  const auto low = static_cast<std::uint64_t>(coefficient);
  const auto bits =
      static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low | 1U));
  const int digits = bits * 1233 / 4096;
  return coefficient >= power_of_ten(digits) ? digits + 1 : digits;
}

/// A natural number of at most 1,408 bits. This suffices for a coefficient of 113 bits times
/// 10^358, which has 1,190 bits, or times 2^1074.
class natural {
 public:
  explicit natural(uint128 value) noexcept {
    for (; value != 0; value >>= 32U) words_[size_++] = static_cast<std::uint32_t>(value);
  }

  void multiply(std::uint32_t factor) noexcept {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      carry += std::uint64_t{words_[i]} * factor;
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
    if (carry != 0 && size_ < words_.size()) {
      words_[size_++] = static_cast<std::uint32_t>(carry);
    }
  }

  void multiply_by_power_of_ten(int exponent) noexcept {
    for (; exponent >= 9; exponent -= 9) multiply(1'000'000'000);
    for (; exponent > 0; --exponent) multiply(10);
  }

  void multiply_by_power_of_two(int exponent) noexcept {
    for (; exponent >= 31; exponent -= 31) multiply(1U << 31U);
    if (exponent > 0) multiply(1U << static_cast<unsigned>(exponent));
  }

  [[nodiscard]] int compare(const natural& other) const noexcept {
    if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
    for (std::size_t i = size_; i-- > 0;) {
      if (words_[i] != other.words_[i]) return words_[i] < other.words_[i] ? -1 : 1;
    }
    return 0;
  }

 private:
  std::array<std::uint32_t, 44> words_;
  std::size_t size_ = 0;  // without leading zeros
};

/// Compares a double with coefficient times ten to the exponent, exactly.
int compare_exactly(double magnitude, uint128 coefficient, int exponent) noexcept {
  int binary_exponent = 0;
  const double fraction = std::frexp(magnitude, &binary_exponent);
  binary_exponent -= std::numeric_limits<double>::digits;
  natural left{
      static_cast<std::uint64_t>(std::ldexp(fraction, std::numeric_limits<double>::digits))};
  natural right{coefficient};
  (exponent < 0 ? left : right).multiply_by_power_of_ten(std::abs(exponent));
  (binary_exponent < 0 ? right : left).multiply_by_power_of_two(std::abs(binary_exponent));
  return left.compare(right);
}

/// The double nearest to coefficient times ten to the exponent; infinity if it overflows.
double nearest_double(uint128 coefficient, int exponent, int first_digit) noexcept {
  std::array<char, 64> text;
  char* const end = text.data() + text.size();
  char* mantissa = end - 8;  // room for e-6176
  char* tail = mantissa;
  *tail++ = 'e';
  tail = std::to_chars(tail, end, exponent).ptr;
  do {
    *--mantissa = static_cast<char>('0' + static_cast<int>(coefficient % 10));
    coefficient /= 10;
  } while (coefficient != 0);
  double nearest = first_digit > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  std::from_chars(mantissa, tail, nearest);  // out of range leaves `nearest` unchanged
  return nearest;
}

}  // namespace

decimal128::decimal128(std::span<const std::byte, 16> value) noexcept {
  const auto low = wire::load_little<std::uint64_t>(value.data());
  const auto high = wire::load_little<std::uint64_t>(value.data() + 8);
  negative_ = (high >> 63U) != 0;
  if (((high >> 59U) & 15U) == 15U) {
    kind_ = ((high >> 58U) & 1U) != 0 ? kind::not_a_number : kind::infinite;
    return;
  }
  // The other form of the combination field has coefficients of more than 34 digits, which
  // count as zero.
  if (((high >> 61U) & 3U) == 3U) return;
  exponent_ = static_cast<int>((high >> 49U) & 0x3fffU) - exponent_bias;
  coefficient_ = (uint128{high & ((std::uint64_t{1} << 49U) - 1)} << 64U) | low;
  if (coefficient_ >= beyond_coefficients) coefficient_ = 0;
}

decimal128::truncated decimal128::truncate() const noexcept {
  if (coefficient_ == 0) return {0.0, true};
  uint128 coefficient = coefficient_;
  int exponent = exponent_;
  for (; exponent < 0 && coefficient % 10 == 0; ++exponent) coefficient /= 10;
  constexpr auto whole_double = uint128{1} << std::numeric_limits<double>::digits;
  if (exponent == 0 && coefficient < whole_double) {
    return {static_cast<double>(static_cast<std::uint64_t>(coefficient)), true};
  }
  const int first_digit = exponent + digits_of(coefficient) - 1;
  if (first_digit > std::numeric_limits<double>::max_exponent10) {
    return {std::numeric_limits<double>::max(), false};
  }
  constexpr int least_exponent10 = -324;  // of the least denormal double
  if (first_digit < least_exponent10) return {0.0, false};
  double magnitude = nearest_double(coefficient, exponent, first_digit);
  int order = std::isinf(magnitude) ? 1 : compare_exactly(magnitude, coefficient, exponent);
  if (order > 0) magnitude = std::nextafter(magnitude, 0.0);
  return {magnitude, order == 0};
}

double decimal128::to_double() const noexcept {
  using limits = std::numeric_limits<double>;
  if (kind_ == kind::not_a_number) return limits::quiet_NaN();
  double magnitude = kind_ == kind::infinite ? limits::infinity() : 0.0;
  if (kind_ == kind::finite && coefficient_ != 0) {
    const int first_digit = exponent_ + digits_of(coefficient_) - 1;
    magnitude = nearest_double(coefficient_, exponent_, first_digit);
  }
  return negative_ ? -magnitude : magnitude;
}

decimal128::normal_form decimal128::normalized() const noexcept {
  const int digits = digits_of(coefficient_);
  return {coefficient_ * power_of_ten(max_digits - digits), exponent_ + digits - 1};
}

std::uint64_t decimal128::rounded_magnitude() const noexcept {
  constexpr std::uint64_t limit = std::uint64_t{1} << 63U;
  uint128 whole = coefficient_;
  if (exponent_ >= 0) {
    for (int i = 0; i < exponent_ && whole != 0 && whole < limit; ++i) whole *= 10;
  } else if (exponent_ < -max_digits) {
    return 0;  // less than a half
  } else {
    const uint128 unit = power_of_ten(-exponent_);
    const uint128 twice_rest = coefficient_ % unit * 2;
    whole = coefficient_ / unit;
    if (twice_rest > unit || (twice_rest == unit && whole % 2 == 1)) ++whole;
  }
  return whole < limit ? static_cast<std::uint64_t>(whole) : limit;
}

std::int64_t decimal128::to_int64() const noexcept {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
  if (kind_ == kind::not_a_number) return 0;
  if (kind_ == kind::infinite) return negative_ ? least : greatest;
  const std::uint64_t magnitude = rounded_magnitude();
  if (magnitude > static_cast<std::uint64_t>(greatest)) return negative_ ? least : greatest;
  const auto whole = static_cast<std::int64_t>(magnitude);
  return negative_ ? -whole : whole;
}

}  // namespace scattergate::routing
