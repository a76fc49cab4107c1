#pragma once

#include <span>
#include <string_view>

#include "routing/bounds/constants/constant_folding.hpp"

/// Creates and examines constants of aggregation expressions. Values are allocated in the
/// scratch memory. If the memory is exhausted, the result is `unknown`.
namespace scattergate::routing {

/// The result of an evaluation that isn't certain.
inline constexpr folded unknown_constant{};

/// A constant of the BSON type `type`. `bytes`: its value in BSON, which is copied.
[[nodiscard]] folded constant_of_bytes(wire::bson_type type, std::span<const std::byte> bytes,
                                       scratch& memory) noexcept;
/// A constant of BSON type int64.
[[nodiscard]] folded constant_integer(std::int64_t value, scratch& memory) noexcept;
/// A constant of BSON type double.
[[nodiscard]] folded constant_real(double value, scratch& memory) noexcept;
/// A constant date. `milliseconds`: since 1970, UTC.
[[nodiscard]] folded constant_date(std::int64_t milliseconds, scratch& memory) noexcept;
/// A boolean constant.
[[nodiscard]] folded constant_boolean(bool value, scratch& memory) noexcept;
/// The constant null. Allocates nothing.
[[nodiscard]] folded constant_null() noexcept;
/// A string constant: the concatenation of `parts`.
[[nodiscard]] folded constant_text(std::span<const std::string_view> parts,
                                   scratch& memory) noexcept;

/// Whether a constant is null, undefined or missing.
[[nodiscard]] bool is_nullish(const folded& one) noexcept;

/// A number as MongoDB computes with it: an integer (`whole`) or a double. A date counts as its
/// milliseconds since 1970. Decimal128 isn't supported.
struct plain_number {
  bool is_known = false;   ///< false for other types and Decimal128
  bool is_whole = false;   ///< whether it is an integer
  std::int64_t whole = 0;  ///< the value if `is_whole`
  double real = 0;         ///< the value as a double
};
/// The number of milliseconds of a date, or the value of a number; `is_known` is false for
/// other types and Decimal128.
[[nodiscard]] plain_number number_of(const wire::element& value) noexcept;

}  // namespace scattergate::routing
