#pragma once

#include "config/options/load.hpp"

namespace scattergate::app {

/// Runs `check --connect`: tries the ports, every upstream, the cluster that the catalog is
/// read from, and the fleet's database. Prints a line for each step and for each file that
/// `run` would write, and a line that says who can open the admin page. A step takes at most
/// `step_time` (upstream_trial.hpp). Returns 1 if a step failed, otherwise 0.
[[nodiscard]] int check_connections(const config::loaded_options& loaded);

}  // namespace scattergate::app
