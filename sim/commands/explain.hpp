#pragma once

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// Runs explain of find, count, distinct, aggregate, update, delete and findAndModify, in the
/// form of mongos's plans.
[[nodiscard]] document run_explain(context& at);

}  // namespace scattergate::sim
