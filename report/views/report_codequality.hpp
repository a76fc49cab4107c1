#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as a GitLab Code Quality report (docs.gitlab.com: ci/testing/code_quality). A
/// finding is a shape of commands that go to all shards, because the filter doesn't bound the
/// shard key. A finding has an entry for each place in the source code that sent it.
/// Findings that the baseline file accepts have the severity "info".
[[nodiscard]] std::string report_codequality(const report_model& of);

}  // namespace scattergate::report
