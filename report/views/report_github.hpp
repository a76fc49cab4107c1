#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The findings as GitHub annotations, one workflow command per line. GitHub shows at
/// most 10 of each level for a step: further ones are plain lines, and a notice counts them.
/// Each finding at one place comes before any finding's further places. A finding is a shape of
/// commands that go to all shards, because the filter doesn't bound the shard key. New findings
/// become errors; findings that the baseline file accepts become notices. A shape of the
/// baseline that isn't a finding in this report becomes a notice, too.
[[nodiscard]] std::string report_github(const report_model& of);

}  // namespace scattergate::report
