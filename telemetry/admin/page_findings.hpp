#pragma once

#include <string>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Appends the findings as HTML: those with refused commands first, then by cost, with the
/// first finding expanded. Resolved and accepted ones follow.
void append_findings(std::string& html, const live_digest::view& all);

}  // namespace scattergate::telemetry
