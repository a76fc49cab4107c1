#pragma once

#include "sim/execution/command.hpp"

namespace scattergate::sim {

/// Runs the authentication step in a hello's field `speculativeAuthenticate`, and adds the
/// answer to `reply`. Adds nothing if the field is absent or authentication fails. Throws
/// command_failure (type_mismatch) if the field isn't a document.
void speculate(context& at, document& reply);

}  // namespace scattergate::sim
