#pragma once

#include "routing/bounds/constants/constant_values.hpp"

namespace scattergate::routing {

/// Whether converted() supports the operator `operation`: $toObjectId, $toDate, $toString,
/// $toInt, $toLong, $toDouble, $abs, $ceil, $floor.
[[nodiscard]] bool is_conversion(std::string_view operation) noexcept;

/// The result of a conversion operator on a constant; `unknown` if mongos would reject the
/// conversion, or this code doesn't support it. REQUIRES: is_conversion(operation), and the
/// value isn't null.
[[nodiscard]] folded converted(std::string_view operation, const wire::element& value,
                               scratch& memory) noexcept;

}  // namespace scattergate::routing
