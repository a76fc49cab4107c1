#pragma once

#include <span>
#include <string_view>

#include "routing/bounds/constants/constant_folding.hpp"

/// Functions that build and examine constants of the aggregation language. Results are stored
/// in the scratch memory; they are `unknown` if that is exhausted.
namespace scattergate::routing {

inline constexpr folded unknown_constant{};

[[nodiscard]] folded constant_of_bytes(wire::bson_type type, std::span<const std::byte> bytes,
                                       scratch& memory) noexcept;
[[nodiscard]] folded constant_integer(std::int64_t value, scratch& memory) noexcept;
[[nodiscard]] folded constant_real(double value, scratch& memory) noexcept;
[[nodiscard]] folded constant_date(std::int64_t milliseconds, scratch& memory) noexcept;
[[nodiscard]] folded constant_boolean(bool value, scratch& memory) noexcept;
[[nodiscard]] folded constant_null() noexcept;
/// The concatenation of `parts`.
[[nodiscard]] folded constant_text(std::span<const std::string_view> parts,
                                   scratch& memory) noexcept;

/// Whether the value is null, undefined or missing.
[[nodiscard]] bool is_nullish(const folded& one) noexcept;

/// The value of a number: an integer or a double, as in MongoDB. A date counts as its
/// milliseconds. Decimals aren't supported.
struct plain_number {
  bool is_known = false;
  bool is_whole = false;
  std::int64_t whole = 0;
  double real = 0;
};
/// The value of a number or date; not `is_known` for other types and decimals.
[[nodiscard]] plain_number number_of(const wire::element& value) noexcept;

}  // namespace scattergate::routing
