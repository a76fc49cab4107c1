#pragma once

#include <optional>
#include <string>

#include "config/options/load.hpp"

namespace scattergate::app {

/// The flags of `fleet`.
struct fleet_flags {
  std::string action;                   ///< init or status
  std::optional<std::string> uri_file;  ///< of status; nothing: the configuration's
  std::optional<std::string> database;  ///< nothing: the configuration's
};

/// `fleet init` prints the commands that prepare the fleet's database, `fleet status` the
/// state of each sidecar in the database. Returns 2 if that failed.
[[nodiscard]] int fleet(const fleet_flags& given, const config::flags& configuration);

}  // namespace scattergate::app
