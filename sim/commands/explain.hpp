#pragma once

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// Runs the command explain for a find, count, distinct, aggregate, update, delete or
/// findAndModify. Returns a reply in the form of mongos's reply. Throws command_failure for
/// other commands, and if the explained command is invalid.
[[nodiscard]] document run_explain(context& at);

}  // namespace scattergate::sim
