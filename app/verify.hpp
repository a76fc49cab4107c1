#pragma once

#include <optional>
#include <string>

#include "app/admin_address.hpp"

namespace scattergate::app {

/// What `scattergate verify` was told.
struct verify_flags {
  std::optional<std::string> uri;
  std::optional<std::string> uri_file;
  std::string catalog = "mongos";
  std::optional<std::string> commands;  ///< a file, or `-`: standard input, the default
  std::optional<std::string> from;      ///< a running daemon's admin address
  admin_guard_flags guard;              ///< of that
  bool as_json = false;
  double max_per_second = 10;
};

/// Has a mongos explain commands, and holds our verdicts against its plans. 0 where all that
/// could be compared agrees; 1 where anything disagrees; 2 where something could not be done as
/// asked: a bad flag, file or catalog, a mongos that isn't reachable or explains something not.
[[nodiscard]] int verify(const verify_flags& given);

}  // namespace scattergate::app
