#pragma once

#include <span>

#include "routing/bounds/constants/constant_folding.hpp"

namespace scattergate::routing {

/// The result of an operator of aggregation expressions, such as "$add", on constants:
/// arithmetic, strings, conversions, comparisons, logic (mongo: db/pipeline/expression.cpp).
/// `unknown` if the operator isn't supported, or the result isn't certain (an overflow, a
/// decimal, an error). REQUIRES: no operand is `unknown` or `varying`.
[[nodiscard]] folded apply(std::string_view operation, std::span<const folded> operands,
                           scratch& memory) noexcept;

/// A document or array of constants. A missing value is omitted from a document, and becomes
/// null in an array. `names`: for each value, an element whose name is the field's name, or the
/// index in the array.
[[nodiscard]] folded composed(std::span<const wire::element> names,
                              std::span<const folded> values, bool is_array,
                              scratch& memory) noexcept;

}  // namespace scattergate::routing
