#pragma once

#include "advise/advice.hpp"
#include "report/views/report_model.hpp"

namespace scattergate::app {

/// What a report's sources omit of the traffic, such as fast commands. The advice on shard keys
/// lists these gaps.
[[nodiscard]] advise::input_gaps gaps_of(const report::report_model& model);

}  // namespace scattergate::app
