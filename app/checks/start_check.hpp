#pragma once

#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Finds what `run` would refuse although the options are valid: certificates that can't be
/// used, files that can't be written, addresses that aren't this host's or may not be bound. An
/// address in use isn't a problem: usually the daemon that will read this configuration uses
/// it. A state file that can't be written is a problem, although `run` would start. Leaves no
/// files or sockets behind.
[[nodiscard]] std::vector<text::problem> check_start(const config::loaded_options& loaded);

}  // namespace scattergate::app
