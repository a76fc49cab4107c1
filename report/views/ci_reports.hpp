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

/// The findings as GitHub annotations, one workflow command per line. GitHub shows at
/// most 10 of each level for a step: further ones are plain lines, and a notice counts them.
/// Each finding at one place comes before any finding's further places. A finding is a shape of
/// commands that go to all shards, because the filter doesn't bound the shard key. New findings
/// become errors; findings that the baseline file accepts become notices. A shape of the
/// baseline that isn't a finding in this report becomes a notice, too.
[[nodiscard]] std::string report_github(const report_model& of);

/// The findings as a GitLab Code Quality report (docs.gitlab.com: ci/testing/code_quality). A
/// finding is a shape of commands that go to all shards, because the filter doesn't bound the
/// shard key. A finding has an entry for each place in the source code that sent it.
/// Findings that the baseline file accepts have the severity "info".
[[nodiscard]] std::string report_codequality(const report_model& of);

/// The findings as SARIF 2.1.0 (OASIS). A finding is a shape of commands that go to all shards,
/// because the filter doesn't bound the shard key. Findings that the baseline file accepts
/// become suppressed results: readers of SARIF take omitted results for fixed ones. A shape of
/// the baseline that isn't a finding in this report becomes an `absent` result. A finding
/// has a result for each place in the source code that sent it. The fingerprint is the shape's
/// hash, and the number of the place in its file. Writes at most 5,000 results, GitHub's limit,
/// and the number of the remaining ones.
[[nodiscard]] std::string report_sarif(const report_model& of);

}  // namespace scattergate::report
