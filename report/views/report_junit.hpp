#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as JUnit XML tests. A finding is a shape of commands that go to all shards,
/// because the filter doesn't bound the shard key. A finding has a test for each
/// place in the source code that sent it. New findings are failed tests; findings that
/// the baseline file accepts are skipped tests. Without findings, one passing test. A shape of
/// the baseline that isn't a finding in this report becomes a line of `system-out`.
[[nodiscard]] std::string report_junit(const report_model& of);

}  // namespace scattergate::report
