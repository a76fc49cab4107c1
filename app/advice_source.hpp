#pragma once

#include "advise/advice.hpp"
#include "report/views/report_model.hpp"

namespace scattergate::app {

/// The parts of the traffic that a report's sources omit. The advice on shard keys states
/// them.
[[nodiscard]] advise::input_gaps gaps_of(const report::report_model& model);

}  // namespace scattergate::app
