#pragma once

#include <string>

namespace scattergate::telemetry {

/// Appends a number in Prometheus's syntax, with up to 16 digits: integers below 10^16
/// exactly, infinity as +Inf or -Inf, other numbers like printf's %.16g.
void append_number(std::string& to, double number);

/// Appends a bucket bound as OpenMetrics 1.0 requires ("Considerations: Canonical Numbers"):
/// integers have a digit after the decimal point.
void append_canonical_number(std::string& to, double number);

}  // namespace scattergate::telemetry
