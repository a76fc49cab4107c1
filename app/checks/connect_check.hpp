#pragma once

#include "config/options/load.hpp"

namespace scattergate::app {

/// Tries everything that a valid configuration refers to, with a line for each step: every
/// upstream, the cluster that the catalog is read from, files, the page. A step takes at most
/// `step_time` (upstream_trial.hpp). Returns 1 if one failed.
[[nodiscard]] int check_connections(const config::loaded_options& loaded);

}  // namespace scattergate::app
