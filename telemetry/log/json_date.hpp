#pragma once

#include <chrono>
#include <string_view>

#include "text/json_writer.hpp"

namespace scattergate::telemetry {

/// Appends the member `name` with a time in UTC, as relaxed Extended JSON:
/// {"$date":"2024-05-01T12:00:00.000Z"}.
void append_json_date(text::json_writer& to, std::string_view name,
                      std::chrono::system_clock::time_point time);

}  // namespace scattergate::telemetry
