#pragma once

#include "advise/advice.hpp"
#include "report/views/report_model.hpp"

namespace scattergate::app {

/// What the sources of a report omit, for advice on shard keys.
[[nodiscard]] advise::knowledge knowledge_of(const report::report_model& model);

}  // namespace scattergate::app
