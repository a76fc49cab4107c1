#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as SARIF 2.1.0 (OASIS). A finding is a shape of commands that go to all shards,
/// because the filter doesn't bound the shard key. Findings that the baseline file accepts
/// become suppressed results: readers of SARIF take omitted results for fixed ones. A shape of
/// the baseline that isn't a finding in this report becomes an `absent` result. A finding
/// has a result for each place in the source code that sent it. The fingerprint is the shape's
/// hash, and the number of the place in its file. Writes at most 5,000 results, GitHub's limit,
/// and the number of the remaining ones.
[[nodiscard]] std::string report_sarif(const report_model& of);

}  // namespace scattergate::report
