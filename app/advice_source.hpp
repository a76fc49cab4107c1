#pragma once

#include "advise/advice.hpp"
#include "report/views/report_model.hpp"

namespace scattergate::app {

/// Summarizes which parts of the traffic a report's sources omit. Advice on shard keys depends
/// on it.
[[nodiscard]] advise::knowledge knowledge_of(const report::report_model& model);

}  // namespace scattergate::app
