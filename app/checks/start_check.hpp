#pragma once

#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// What `run` would refuse of options that are good by themselves, as far as can be seen
/// without it: certificates that can't be used, files that can't be written, addresses that
/// aren't this host's or may not be bound. An address in use is no problem: as a rule it is in
/// use by the daemon that will read this configuration. Also a state file that can't be
/// written, although `run` starts with it. Nothing is left behind.
[[nodiscard]] std::vector<text::problem> check_start(const config::loaded_options& loaded);

}  // namespace scattergate::app
