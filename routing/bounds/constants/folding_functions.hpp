#pragma once

#include <span>

#include "routing/bounds/constants/constant_folding.hpp"

namespace scattergate::routing {

/// Applies an operator of the aggregation language to constants: arithmetic, strings,
/// conversions, comparisons (mongo: db/pipeline/expression.cpp). `unknown` if the operator
/// isn't supported or the result isn't certain (an overflow, a decimal, an error). REQUIRES: no
/// operand is unknown.
[[nodiscard]] folded apply(std::string_view operation, std::span<const folded> operands,
                           scratch& memory) noexcept;

/// Builds a document or array from constants. A missing value is omitted from a document, and
/// becomes null in an array. `names`: one field per value; for an array, the indices.
[[nodiscard]] folded composed(std::span<const wire::element> names,
                              std::span<const folded> values, bool is_array,
                              scratch& memory) noexcept;

}  // namespace scattergate::routing
