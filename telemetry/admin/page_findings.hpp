#pragma once

#include <string>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Appends the findings: those with refused commands, then the most expensive, the first ones
/// expanded; then resolved ones and those that rules accept.
void append_findings(std::string& html, const live_digest::view& all);

}  // namespace scattergate::telemetry
