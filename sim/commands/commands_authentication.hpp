#pragma once

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// Runs the speculativeAuthenticate in a hello, and adds the answer to `reply`. Adds nothing if
/// authentication fails.
void speculate(context& at, document& reply);

}  // namespace scattergate::sim
