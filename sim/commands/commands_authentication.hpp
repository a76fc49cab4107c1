#pragma once

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// Answers a hello's speculativeAuthenticate in `reply`; adds nothing if that fails.
void speculate(context& at, document& reply);

}  // namespace scattergate::sim
