#pragma once

#include "advise/advice.hpp"
#include "report/views/report_model.hpp"

namespace scattergate::app {

/// Summarizes which parts of the traffic a report's sources omit, for advice on shard keys.
[[nodiscard]] advise::knowledge knowledge_of(const report::report_model& model);

}  // namespace scattergate::app
