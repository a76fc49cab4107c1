#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings (commands that ask all shards because the shard key is missing) as JUnit XML
/// tests: new findings are failed tests, findings that the baseline file accepts are skipped
/// tests. Without findings, one passing test. Shapes of the baseline that aren't findings now
/// become lines of `system-out`.
[[nodiscard]] std::string report_junit(const report_model& of);

}  // namespace scattergate::report
