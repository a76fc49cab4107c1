#pragma once

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// Answers a hello's speculativeAuthenticate in `reply`; without a word where it can't.
void speculate(context& at, document& reply);

}  // namespace scattergate::sim
