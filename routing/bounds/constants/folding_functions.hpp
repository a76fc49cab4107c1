#pragma once

#include <span>

#include "routing/bounds/constants/constant_folding.hpp"

namespace scattergate::routing {

/// What an operator of the aggregation language makes of constants (no unknown among them):
/// arithmetic, strings, conversions, comparisons (mongo: db/pipeline/expression.cpp). `unknown`
/// where it isn't one of those that we know, or what it makes isn't certain: an overflow, a
/// decimal, an error.
[[nodiscard]] folded apply(std::string_view operation, std::span<const folded> operands,
                           scratch& memory) noexcept;

/// A document or an array of constants; what is missing is left out of a document and null in
/// an array. `names` has a field's for each value; an array's are its indices, as they came.
[[nodiscard]] folded composed(std::span<const wire::element> names,
                              std::span<const folded> values, bool is_array,
                              scratch& memory) noexcept;

}  // namespace scattergate::routing
