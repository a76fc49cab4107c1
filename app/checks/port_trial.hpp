#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/load.hpp"

namespace scattergate::app {

/// Reports the configured TCP addresses that are in use, with the process if it is known: they
/// stop a start. Addresses of a daemon that answers at the admin address are only mentioned,
/// because it may be the one that will read this configuration.
void try_ports(const config::options& of, connect_log& to);

}  // namespace scattergate::app
