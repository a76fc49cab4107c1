#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"

namespace scattergate::app {

/// Connects to the mongos that a live catalog is read from, with the catalog's credentials, and
/// reads one document of each collection that the catalog needs. Prints the steps to `to`.
void try_catalog(const config::options& of, connect_log& to);

}  // namespace scattergate::app
