#pragma once

#include <chrono>
#include <string>

namespace scattergate::text {

/// Formats a time in UTC as in RFC 3339, with milliseconds: 2024-05-01T12:00:00.000Z.
[[nodiscard]] std::string time_text(std::chrono::system_clock::time_point time);

}  // namespace scattergate::text
