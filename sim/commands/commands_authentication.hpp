#pragma once

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// Runs the authentication step in a hello's field `speculativeAuthenticate`, and adds the
/// answer to `reply`. Adds nothing if authentication fails.
void speculate(context& at, document& reply);

}  // namespace scattergate::sim
