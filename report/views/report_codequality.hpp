#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings (commands that ask all shards because the shard key is missing) as a GitLab
/// Code Quality report (docs.gitlab.com: ci/testing/code_quality). Findings that the baseline
/// file accepts have the severity "info".
[[nodiscard]] std::string report_codequality(const report_model& of);

}  // namespace scattergate::report
