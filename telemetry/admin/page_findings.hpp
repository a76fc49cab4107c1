#pragma once

#include <string>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Appends the findings, those with refused commands first and then the costliest, the first of
/// them open; then the resolved ones, and what rules accept.
void append_findings(std::string& html, const live_digest::view& all);

}  // namespace scattergate::telemetry
