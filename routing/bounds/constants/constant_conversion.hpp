#pragma once

#include "routing/bounds/constants/constant_values.hpp"

namespace scattergate::routing {

/// Whether `operation` makes one value of one value: $toObjectId, $toDate, $toString, $toInt,
/// $toLong, $toDouble, $abs, $ceil, $floor.
[[nodiscard]] bool is_conversion(std::string_view operation) noexcept;

/// What it makes of a value that isn't null; unknown where mongos would refuse it, or where we
/// don't read all that it reads. REQUIRES: is_conversion(operation).
[[nodiscard]] folded converted(std::string_view operation, const wire::element& value,
                               scratch& memory) noexcept;

}  // namespace scattergate::routing
