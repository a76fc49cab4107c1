#pragma once

#include <string>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Appends the findings, worst first, the first of them open; then those that have been quiet
/// for long, and what rules accept.
void append_findings(std::string& html, const live_digest::view& all);

}  // namespace scattergate::telemetry
