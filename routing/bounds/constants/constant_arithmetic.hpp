#pragma once

#include "routing/bounds/constants/constant_values.hpp"

/// Arithmetic of the aggregation language on constants (mongo: db/pipeline/expression.cpp).
namespace scattergate::routing {

enum class arithmetic { add, subtract, multiply };

/// Sums, differences and products. A date moved by a number stays one, two dates have a
/// distance; a date that only the server knows, moved, is still such a date.
[[nodiscard]] folded calculated(arithmetic how, std::span<const folded> operands,
                                scratch& memory) noexcept;

/// $divide and $mod.
[[nodiscard]] folded divided(std::span<const folded> operands, scratch& memory) noexcept;
[[nodiscard]] folded remainder_of(std::span<const folded> operands, scratch& memory) noexcept;

}  // namespace scattergate::routing
