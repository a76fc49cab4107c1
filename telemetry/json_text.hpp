#pragma once

#include <chrono>
#include <string>
#include <string_view>

/// The few pieces of JSON text that the lines of the log and of the audit log are made of.
namespace scattergate::telemetry {

/// Appends `text` as a JSON string. Control characters are escaped, invalid UTF-8 is replaced,
/// so that a line stays one line of valid JSON whatever a client sent.
void append_json_string(std::string& to, std::string_view text);

/// Appends a date of relaxed Extended JSON: {"$date":"2024-05-01T12:00:00.000Z"}.
void append_json_date(std::string& to, std::chrono::system_clock::time_point time);

}  // namespace scattergate::telemetry
