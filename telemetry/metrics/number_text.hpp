#pragma once

#include <string>

namespace scattergate::telemetry {

/// Appends a number as Prometheus reads it, with 16 digits at most: whole ones exactly below
/// 10^16, others as C++'s streams and printf's %g write them.
void append_number(std::string& to, double number);

/// The same of a bucket's bound as OpenMetrics 1.0 wants it ("Considerations: Canonical
/// Numbers"): whole ones with a digit behind the point.
void append_canonical_number(std::string& to, double number);

}  // namespace scattergate::telemetry
