#pragma once

#include "routing/bounds/constants/constant_values.hpp"

namespace scattergate::routing {

/// Whether `operation` converts one value into another: $toObjectId, $toDate, $toString,
/// $toInt, $toLong, $toDouble, $abs, $ceil, $floor.
[[nodiscard]] bool is_conversion(std::string_view operation) noexcept;

/// Converts a constant; `unknown` if mongos would reject that or this code doesn't support it.
/// REQUIRES: is_conversion(operation), and the value isn't null.
[[nodiscard]] folded converted(std::string_view operation, const wire::element& value,
                               scratch& memory) noexcept;

}  // namespace scattergate::routing
