#pragma once

#include <vector>

#include "config/options/load.hpp"
#include "config/text/problem.hpp"

namespace scattergate::app {

/// What `run` would refuse of options that are good by themselves, as far as can be seen
/// without it: certificates that can't be used, files that can't be written, addresses that
/// aren't this host's or may not be bound. One that is in use is no problem: by the daemon, as
/// a rule, that is to read this configuration. Nothing is left behind.
[[nodiscard]] std::vector<config::problem> check_start(const config::loaded_options& loaded);

}  // namespace scattergate::app
