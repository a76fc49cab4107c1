#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "telemetry/counters/error_code.hpp"

namespace scattergate::report {

/// MongoDB's name of an error code, such as "Unauthorized". If telemetry::error_name() has no
/// name for the code: "Location" and the code, such as "Location40324".
[[nodiscard]] inline std::string name_of_error(std::int64_t code) {
  using most = std::numeric_limits<std::int32_t>;
  const std::size_t place = code < 0 || code > most::max()
                                ? 0
                                : telemetry::error_place(static_cast<std::int32_t>(code));
  return place == 0 ? "Location" + std::to_string(code)
                    : std::string{telemetry::error_name(place)};
}

}  // namespace scattergate::report
