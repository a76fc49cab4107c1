#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings (commands that ask all shards because the shard key is missing) as SARIF 2.1.0
/// (OASIS). Findings that the baseline file accepts become suppressed results, because omitted
/// ones would read as fixed. Shapes of the baseline that aren't findings now become `absent`
/// results. The fingerprint is the shape's hash. Writes at most 5,000 results, GitHub's limit,
/// and the number of the remaining ones.
[[nodiscard]] std::string report_sarif(const report_model& of);

}  // namespace scattergate::report
