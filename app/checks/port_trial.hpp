#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/load.hpp"

namespace scattergate::app {

/// Checks for `check --connect` whether `run` could use the configured TCP addresses. Prints a
/// step to `to` for each address that is in use, with the process that uses it. The step passes
/// if a running scattergate answers at the admin address, or if the process is systemd (socket
/// activation). The step is a warning if this user may not see the process. Otherwise it fails,
/// because `run` couldn't bind the address.
void try_ports(const config::options& of, connect_log& to);

}  // namespace scattergate::app
