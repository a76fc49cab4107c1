#pragma once

#include "routing/bounds/constants/constant_values.hpp"

/// Arithmetic operators of the aggregation language on constants (mongo:
/// db/pipeline/expression.cpp).
namespace scattergate::routing {

enum class arithmetic { add, subtract, multiply };

/// Sums, differences and products. A date plus a number is a date; the difference of two dates
/// is a number. A date that only the server knows, plus a number, is another such date.
[[nodiscard]] folded calculated(arithmetic how, std::span<const folded> operands,
                                scratch& memory) noexcept;

/// $divide and $mod.
[[nodiscard]] folded divided(std::span<const folded> operands, scratch& memory) noexcept;
[[nodiscard]] folded remainder_of(std::span<const folded> operands, scratch& memory) noexcept;

}  // namespace scattergate::routing
