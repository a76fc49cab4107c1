#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"

namespace scattergate::app {

/// Connects to the fleet's database, as its user, and reads what it knows of the sidecars.
void try_fleet(const config::options& of, connect_log& to);

}  // namespace scattergate::app
