#pragma once

#include <string>

#include "report/baseline/baseline_comparison.hpp"

/// Describes findings relative to a baseline, the file of accepted shapes. A finding is a shape
/// of commands that go to all shards, because the filter doesn't bound the shard key.
namespace scattergate::report {

/// The number of findings by state: "3 new, 12 accepted, 1 no longer accepted, 2 absent". Omits
/// states with the number 0, except "new".
[[nodiscard]] std::string counts_text(const baseline_comparison& of);

/// The state of the shape `one`: "new", "accepted: rare maintenance (dba-team), until
/// 2027-01-31", "accepted until 2026-01-31 only: ...", "accepted by nightly: an export" for
/// rules. Empty if the shape isn't a finding, or if it is new and there is no baseline.
[[nodiscard]] std::string state_text(const baseline_comparison& of, const digest::row& one);

}  // namespace scattergate::report
