#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/load.hpp"

namespace scattergate::app {

/// Prints a step to `to` for each configured TCP address that is in use, with the process that
/// uses the address. The step passes if a running scattergate answers at the admin address, or
/// if the process is systemd (socket activation). The step is a warning if this user may not
/// see the process. Otherwise the step fails, because `run` couldn't bind the address.
void try_ports(const config::options& of, connect_log& to);

}  // namespace scattergate::app
