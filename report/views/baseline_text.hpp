#pragma once

#include <string>

#include "report/baseline/baseline_comparison.hpp"

/// Describes findings relative to a baseline.
namespace scattergate::report {

/// "3 new, 12 accepted, 1 no longer accepted, 2 absent"
[[nodiscard]] std::string counts_text(const baseline_comparison& of);

/// "new", "accepted: rare maintenance (dba-team), until 2027-01-31", "accepted until 2026-01-31
/// only: ..."; empty if the shape is no finding.
[[nodiscard]] std::string state_text(const baseline_comparison& of, const digest::row& one);

}  // namespace scattergate::report
