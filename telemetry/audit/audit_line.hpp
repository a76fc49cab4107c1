#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// Formats the member `local` of an audit line: {"ip":...,"port":...} or {"unix":...}.
/// `address`: a listener's address as written in the configuration. Returns "{}" (an empty JSON
/// object) if the address is invalid.
[[nodiscard]] std::string local_json(std::string_view address);

/// Formats a line of the audit log, including its newline, for a finding (a command to report,
/// such as a scatter) and its counts. The format is that of MongoDB's audit messages
/// (docs/audit.md). `local`: from local_json(). Each line has a new UUID.
[[nodiscard]] std::string audit_line(const shape_delta& delta, std::string_view local,
                                     std::chrono::system_clock::time_point time);

}  // namespace scattergate::telemetry
