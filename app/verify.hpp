#pragma once

#include <optional>
#include <string>

#include "app/admin_address.hpp"

namespace scattergate::app {

/// The flags of `scattergate verify`.
struct verify_flags {
  std::optional<std::string> uri;
  std::optional<std::string> uri_file;
  std::string catalog = "mongos";
  std::optional<std::string> commands;  ///< a file, or `-`: standard input, the default
  std::optional<std::string> from;      ///< a running daemon's admin address
  admin_guard_flags guard;              ///< for that daemon
  bool as_json = false;
  double max_per_second = 10;
};

/// Has a mongos explain commands, and compares our verdicts with its plans. Returns 0 if
/// everything that could be compared agrees; 1 if anything disagrees; 2 if something failed: an
/// invalid flag, file or catalog, an unreachable mongos, or a command that it doesn't explain.
[[nodiscard]] int verify(const verify_flags& given);

}  // namespace scattergate::app
