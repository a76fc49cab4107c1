#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/load.hpp"

namespace scattergate::app {

/// Reports the configured TCP addresses that are in use, with the process if it is known. They
/// are failures, because `run` couldn't bind them, unless a scattergate answers at the admin
/// address: it may be the daemon that will read this configuration.
void try_ports(const config::options& of, connect_log& to);

}  // namespace scattergate::app
