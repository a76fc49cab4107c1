#pragma once

#include <chrono>
#include <string>

namespace scattergate::telemetry {

/// Appends a date of relaxed Extended JSON: {"$date":"2024-05-01T12:00:00.000Z"}.
void append_json_date(std::string& to, std::chrono::system_clock::time_point time);

}  // namespace scattergate::telemetry
