#pragma once

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"

namespace scattergate::app {

/// Checks for `check --connect` whether the fleet's database can be read, with the credentials
/// in fleet.uri_file. (A fleet is a set of sidecars that share a database.) Prints a step to
/// `to`; the step fails if no answer comes within 5 s.
void try_fleet(const config::options& of, connect_log& to);

}  // namespace scattergate::app
