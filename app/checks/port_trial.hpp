#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/load.hpp"

namespace scattergate::app {

/// Reports each configured TCP address that is in use, and the process that uses it. This is a
/// failure, because `run` couldn't bind the address. It is only a warning if this user can't
/// see the process: systemd may hold the address for `run`. It is neither if the process is
/// systemd, or if a scattergate answers at the admin address, because that may be the daemon
/// that will read this configuration.
void try_ports(const config::options& of, connect_log& to);

}  // namespace scattergate::app
