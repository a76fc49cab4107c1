#pragma once

#include "routing/bounds/constants/constant_values.hpp"

/// Arithmetic operators of the aggregation language on constants (mongo:
/// db/pipeline/expression.cpp).
namespace scattergate::routing {

/// The operators that calculated() folds.
enum class arithmetic { add, subtract, multiply };

/// Folds $add, $subtract or $multiply of constants. A date plus a number is a date, also if
/// only the server knows it; the difference of two dates is a number. `unknown` if the result
/// isn't certain.
[[nodiscard]] folded calculated(arithmetic how, std::span<const folded> operands,
                                scratch& memory) noexcept;

/// Folds a $divide of constants; `unknown` if the result isn't certain.
[[nodiscard]] folded divided(std::span<const folded> operands, scratch& memory) noexcept;
/// Folds a $mod of constants; `unknown` if the result isn't certain.
[[nodiscard]] folded remainder_of(std::span<const folded> operands, scratch& memory) noexcept;

}  // namespace scattergate::routing
