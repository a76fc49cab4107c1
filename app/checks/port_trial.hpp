#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/load.hpp"

namespace scattergate::app {

/// Reports the configured TCP addresses that are in use, with the process that uses them if it
/// is known. An address in use is a failure, because `run` couldn't bind it, unless a
/// scattergate answers at the admin address, which may be the daemon that will read this
/// configuration, or systemd holds the address.
void try_ports(const config::options& of, connect_log& to);

}  // namespace scattergate::app
