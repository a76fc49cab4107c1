#include "routing/bounds/argument_types.hpp"

#include <cmath>
#include <limits>

#include "routing/keys/decimal128.hpp"
#include "wire/endian.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::element;

double double_value(const element& value) noexcept {
  return wire::load_little<double>(value.value().data());
}

/// Whether the number is an integer in int64's range.
bool is_integer(const decimal128& number) noexcept {
  if (number.what() != decimal128::kind::finite) return false;
  const auto [magnitude, is_exact] = number.truncate();
  return is_exact && std::trunc(magnitude) == magnitude && magnitude < 0x1p63;
}

std::int64_t clamped(double value) noexcept {
  using limits = std::numeric_limits<std::int64_t>;
  constexpr double bound = 0x1p63;
  if (std::isnan(value)) return 0;
  if (value >= bound) return limits::max();
  return value < -bound ? limits::min() : static_cast<std::int64_t>(value);
}

}  // namespace

std::optional<std::int64_t> integer_of(argument of, const element& value) noexcept {
  if (!is_given(of, value)) return std::nullopt;
  const bool is_exact = type_of(of) == idl_type::exact_integer;
  if (value.type() == bson_type::decimal128) {
    const decimal128 number{value.value().first<16>()};
    return is_exact && !is_integer(number) ? std::nullopt : std::optional{number.to_int64()};
  }
  const bool is_rounded = value.type() == bson_type::float64 && !is_exact;
  return is_rounded ? clamped(double_value(value)) : value.as_int64();
}

double double_of(const element& value) noexcept {
  if (value.type() == bson_type::decimal128) {
    return decimal128{value.value().first<16>()}.to_double();
  }
  if (value.type() == bson_type::float64) return double_value(value);
  return static_cast<double>(value.as_int64().value_or(0));
}

}  // namespace scattergate::routing
