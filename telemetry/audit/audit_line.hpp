#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// Formats the member `local` of an audit line, {"ip":...,"port":...} or {"unix":...}, from a
/// listener's address as written in the configuration. Returns the text "{}" (an empty JSON
/// object) if the address is invalid.
[[nodiscard]] std::string local_json(std::string_view address);

/// Formats a finding (a command to report, such as a scatter), with its counts, as a line of
/// the audit log, with its newline, in the format of MongoDB's audit messages (docs/audit.md).
/// `local`: from local_json(). Each call generates a new UUID.
[[nodiscard]] std::string audit_line(const shape_delta& delta, std::string_view local,
                                     std::chrono::system_clock::time_point time);

}  // namespace scattergate::telemetry
