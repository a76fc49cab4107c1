#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings (commands that ask all shards because the shard key is missing) as GitHub
/// annotations, one workflow command per line: errors for new findings, notices for findings
/// that the baseline file accepts. Shapes of the baseline that aren't findings now become
/// notices, too.
[[nodiscard]] std::string report_github(const report_model& of);

}  // namespace scattergate::report
