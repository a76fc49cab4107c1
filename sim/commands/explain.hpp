#pragma once

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// Runs explain for find, count, distinct, aggregate, update, delete and findAndModify.
/// Returns a reply in the form of mongos's reply. Throws command_failure for other commands.
[[nodiscard]] document run_explain(context& at);

}  // namespace scattergate::sim
