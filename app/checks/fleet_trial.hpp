#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"

namespace scattergate::app {

/// Tries to read the sidecars' documents from the fleet's database, with the credentials in
/// fleet.uri_file. Prints the result to `to`; it is a failure if no answer comes within 5 s.
void try_fleet(const config::options& of, connect_log& to);

}  // namespace scattergate::app
