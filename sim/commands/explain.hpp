#pragma once

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// The command explain, for find, count, distinct, aggregate, update, delete and findAndModify.
/// The reply has the same form as mongos's reply.
[[nodiscard]] document run_explain(context& at);

}  // namespace scattergate::sim
