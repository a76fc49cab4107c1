#pragma once

#include <optional>
#include <string>

#include "config/options/load.hpp"

namespace scattergate::app {

/// The flags of the subcommand `fleet`. A fleet is a set of sidecars that share a database.
struct fleet_flags {
  std::string action;                   ///< init or status
  std::optional<std::string> uri_file;  ///< for status: the file with the connection string;
                                        ///< unset: the setting fleet.uri_file
  std::optional<std::string> database;  ///< the database's name; unset: the setting
                                        ///< fleet.database
};

/// Runs the subcommand `fleet`. `fleet init` prints the commands that prepare the fleet's
/// database. `fleet status` prints the state of each sidecar that has written to the database.
/// `configuration`: the flags for reading the settings fleet.*. Returns the exit status: 2 on
/// failure, otherwise 0.
[[nodiscard]] int fleet(const fleet_flags& given, const config::flags& configuration);

}  // namespace scattergate::app
