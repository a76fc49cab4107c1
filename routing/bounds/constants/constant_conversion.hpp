#pragma once

#include "routing/bounds/constants/constant_values.hpp"

namespace scattergate::routing {

/// Whether `operation` converts one value into another: $toObjectId, $toDate, $toString,
/// $toInt, $toLong, $toDouble, $abs, $ceil, $floor.
[[nodiscard]] bool is_conversion(std::string_view operation) noexcept;

/// Converts a value that isn't null; unknown if mongos would refuse it or if this code doesn't
/// support the value's form. REQUIRES: is_conversion(operation).
[[nodiscard]] folded converted(std::string_view operation, const wire::element& value,
                               scratch& memory) noexcept;

}  // namespace scattergate::routing
