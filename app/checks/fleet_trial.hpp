#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"

namespace scattergate::app {

/// Tries to read the sidecars' documents from the fleet's database, with the credentials in
/// fleet.uri_file. Prints a step to `to`; the step fails if no answer comes within 5 s.
void try_fleet(const config::options& of, connect_log& to);

}  // namespace scattergate::app
