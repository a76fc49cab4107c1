#pragma once

#include "config/options/load.hpp"

namespace scattergate::app {

/// Tries what a good configuration leads to, a line for each step: every upstream, the cluster
/// that the catalog is read from, files, the page. A step takes some seconds at most. 1 where
/// one failed.
[[nodiscard]] int check_connections(const config::loaded_options& loaded);

}  // namespace scattergate::app
