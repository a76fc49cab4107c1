#pragma once

#include <optional>
#include <string>

#include "app/admin_address.hpp"

namespace scattergate::app {

/// The flags of `scattergate verify`.
struct verify_flags {
  std::optional<std::string> uri;       ///< connection string of the mongos; set uri or
                                        ///< uri_file
  std::optional<std::string> uri_file;  ///< a file with this connection string
  std::string catalog = "mongos";       ///< a file, preset:NAME or mongos
  std::optional<std::string> commands;  ///< a file, or `-`: standard input, the default
  std::optional<std::string> from;      ///< a running daemon's admin address
  admin_credential_files credentials;   ///< for access to the daemon
  bool as_json = false;
  double max_per_second = 10;  ///< explains per second, at most
};

/// Has a mongos explain commands, and compares scattergate's verdicts with the plans that
/// mongos returns. Returns 0 if all verdicts that could be compared agree; 1 if any disagrees;
/// 2 if something failed: an invalid flag, file or catalog, an unreachable mongos, or a command
/// that mongos doesn't explain.
[[nodiscard]] int verify(const verify_flags& given);

}  // namespace scattergate::app
