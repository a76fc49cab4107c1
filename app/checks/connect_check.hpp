#pragma once

#include "config/options/load.hpp"

namespace scattergate::app {

/// Tries everything that a valid configuration refers to: ports, every upstream, the cluster
/// that the catalog is read from, the fleet's database. Prints a line for each step, one for
/// each file that `run` would write, and one that states who can open the page. A step takes at
/// most `step_time` (upstream_trial.hpp). Returns 1 if a step failed, otherwise 0.
[[nodiscard]] int check_connections(const config::loaded_options& loaded);

}  // namespace scattergate::app
