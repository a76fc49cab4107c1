#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"

namespace scattergate::app {

/// Connects to the fleet's database, as its user, and looks for the lease on fleet.name.
void try_fleet(const config::options& of, connect_log& to);

}  // namespace scattergate::app
