#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/load.hpp"

namespace scattergate::app {

/// Reports the configured TCP addresses that are in use, with the process that uses them if it
/// is known. An address in use is a failure, because `run` couldn't bind it; if the process is
/// unknown, it is a warning. It is neither if systemd holds the address, or if a scattergate
/// answers at the admin address: that may be the daemon that will read this configuration.
void try_ports(const config::options& of, connect_log& to);

}  // namespace scattergate::app
