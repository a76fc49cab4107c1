#pragma once

#include "routing/bounds/constants/constant_values.hpp"

/// Evaluates arithmetic operators of aggregation expressions on constants (mongo:
/// db/pipeline/expression.cpp).
namespace scattergate::routing {

/// The operators that calculated() evaluates.
enum class arithmetic { add, subtract, multiply };

/// The result of an $add, $subtract or $multiply of constants; `unknown` if it isn't certain. A
/// date plus a number is a date, or `some_date` if only the server knows the date ($$NOW). The
/// difference of two dates is a number.
[[nodiscard]] folded calculated(arithmetic how, std::span<const folded> operands,
                                scratch& memory) noexcept;

/// The result of a $divide of constants; `unknown` if it isn't certain.
[[nodiscard]] folded divided(std::span<const folded> operands, scratch& memory) noexcept;
/// The result of a $mod of constants; `unknown` if it isn't certain.
[[nodiscard]] folded remainder_of(std::span<const folded> operands, scratch& memory) noexcept;

}  // namespace scattergate::routing
