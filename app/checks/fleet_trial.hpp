#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"

namespace scattergate::app {

/// Connects to the fleet's database with the credentials of fleet.uri_file, and reads the
/// sidecars' documents.
void try_fleet(const config::options& of, connect_log& to);

}  // namespace scattergate::app
