#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// The envelope's `local`: {"ip":...,"port":...} or {"unix":...}, from an address in the form
/// of the settings; {} if it is invalid.
[[nodiscard]] std::string local_json(std::string_view address);

/// One line of the audit log for a finding, with its newline (docs/audit.md; the format is
/// MongoDB's audit message). `local`: from local_json(). Each line gets a new UUID.
[[nodiscard]] std::string audit_line(const shape_delta& delta, std::string_view local,
                                     std::chrono::system_clock::time_point time);

}  // namespace scattergate::telemetry
