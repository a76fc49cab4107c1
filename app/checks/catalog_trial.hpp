#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"

namespace scattergate::app {

/// Checks for `check --connect` whether a live catalog can be read from its mongos. Connects
/// with the catalog's credentials, and tries to read one document of each collection of the
/// database `config` that the catalog is made from. Prints the steps to `to`.
void try_catalog(const config::options& of, connect_log& to);

}  // namespace scattergate::app
