#pragma once

#include <string>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Appends the findings (query shapes to report, such as scatters) as HTML, in three groups:
/// current findings, with the first one expanded; resolved findings; findings that a rule
/// accepts. In each group, shapes with rejected or throttled commands come first, then those
/// with the highest cost. Shows at most 100 shapes of each group.
void append_findings(std::string& html, const live_digest::view& all);

}  // namespace scattergate::telemetry
