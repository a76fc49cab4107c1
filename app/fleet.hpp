#pragma once

#include <optional>
#include <string>

#include "config/options/load.hpp"

namespace scattergate::app {

/// The flags of `fleet`.
struct fleet_flags {
  std::string action;                   ///< init or status
  std::optional<std::string> uri_file;  ///< for status: the file with the connection string;
                                        ///< unset: fleet.uri_file
  std::optional<std::string> database;  ///< unset: fleet.database
};

/// `fleet init` prints the commands that prepare the fleet's database. `fleet status` prints
/// the state of each sidecar that has written to the database. Returns 2 on failure, otherwise
/// 0.
[[nodiscard]] int fleet(const fleet_flags& given, const config::flags& configuration);

}  // namespace scattergate::app
