#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "telemetry/counters/error_code.hpp"

namespace scattergate::report {

/// MongoDB's name of an error code; "Location40324" if it has no name, or one that
/// telemetry::error_name() doesn't list.
[[nodiscard]] inline std::string name_of_error(std::int64_t code) {
  using most = std::numeric_limits<std::int32_t>;
  const std::size_t place = code < 0 || code > most::max()
                                ? 0
                                : telemetry::error_place(static_cast<std::int32_t>(code));
  return place == 0 ? "Location" + std::to_string(code)
                    : std::string{telemetry::error_name(place)};
}

}  // namespace scattergate::report
