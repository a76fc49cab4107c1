#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// The envelope's `local`: {"ip":...,"port":...} or {"unix":...} of an address as users write
/// it; {} where it isn't one.
[[nodiscard]] std::string local_json(std::string_view address);

/// One line of the audit log, of a finding, its newline included (docs/audit.md; MongoDB's
/// audit message). `local`: as local_json() gives it. Every line has a fresh UUID.
[[nodiscard]] std::string audit_line(const shape_delta& delta, std::string_view local,
                                     std::chrono::system_clock::time_point time);

}  // namespace scattergate::telemetry
