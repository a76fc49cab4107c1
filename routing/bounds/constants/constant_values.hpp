#pragma once

#include <span>
#include <string_view>

#include "routing/bounds/constants/constant_folding.hpp"

/// Making constants of the aggregation language, and looking at them. What is made lies in the
/// scratch; it is `unknown` where that is exhausted.
namespace scattergate::routing {

inline constexpr folded unknown_constant{};

[[nodiscard]] folded constant_of_bytes(wire::bson_type type, std::span<const std::byte> bytes,
                                       scratch& memory) noexcept;
[[nodiscard]] folded constant_integer(std::int64_t value, scratch& memory) noexcept;
[[nodiscard]] folded constant_real(double value, scratch& memory) noexcept;
[[nodiscard]] folded constant_date(std::int64_t milliseconds, scratch& memory) noexcept;
[[nodiscard]] folded constant_boolean(bool value, scratch& memory) noexcept;
[[nodiscard]] folded constant_null() noexcept;
/// All `parts`, one behind the other.
[[nodiscard]] folded constant_text(std::span<const std::string_view> parts,
                                   scratch& memory) noexcept;

/// null, undefined, or no value at all.
[[nodiscard]] bool is_nullish(const folded& one) noexcept;

/// A number, whole wherever MongoDB has it so; a date counts as its milliseconds. Decimals
/// aren't known.
struct plain_number {
  bool is_known = false;
  bool is_whole = false;
  std::int64_t whole = 0;
  double real = 0;
};
[[nodiscard]] plain_number number_of(const wire::element& value) noexcept;

}  // namespace scattergate::routing
