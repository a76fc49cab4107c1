#pragma once

#include "config/options/load.hpp"

namespace scattergate::app {

/// Runs `check --connect`, which tries everything that `run` would connect to: the ports, every
/// upstream (mongos), the cluster that the catalog is read from, and the fleet's database.
/// Prints a line for each step, for each file that `run` would write, and for who can open the
/// admin page. A step takes at most `step_time` (upstream_trial.hpp). Returns 1 if a step
/// failed, otherwise 0.
[[nodiscard]] int check_connections(const config::loaded_options& loaded);

}  // namespace scattergate::app
