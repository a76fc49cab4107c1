#pragma once

#include <string>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// Appends the findings (query shapes to report, such as scatters) as HTML, in three groups:
/// current findings, with the first one expanded; resolved findings; findings that a rule
/// accepts. Each group is in the order of in_shown_order() (shape_kind.hpp) and shows at most
/// its first 100 shapes.
void append_findings(std::string& html, const live_digest::view& all);

}  // namespace scattergate::telemetry
