#pragma once

#include <optional>
#include <string>

#include "app/admin_address.hpp"

namespace scattergate::app {

/// The flags of `scattergate verify`.
struct verify_flags {
  std::optional<std::string> uri;       ///< connection string of the mongos; set exactly one
                                        ///< of uri and uri_file
  std::optional<std::string> uri_file;  ///< a file with the mongos's connection string
  std::string catalog = "mongos";       ///< source of the catalog: a file, preset:NAME, or
                                        ///< `mongos` (the cluster behind the mongos)
  std::optional<std::string> commands;  ///< the file with the commands; unset or `-`: standard
                                        ///< input; don't set it together with `from`
  std::optional<std::string> from;      ///< the admin address of a running daemon, whose
                                        ///< sampled commands are used
  admin_credential_files credentials;   ///< for access to the daemon
  bool as_json = false;                 ///< whether to print JSON lines instead of text
  double max_per_second = 10;           ///< maximum number of explains per second; above 0
};

/// Runs `verify`: asks a mongos to explain each command, and compares scattergate's verdict
/// with the plan that mongos returns. Commands that can't be compared, such as inserts, don't
/// count. Returns the exit status:
/// - 2: verification can't start or must stop (an invalid flag, file or catalog; mongos
///   unreachable; commands can't be read)
/// - otherwise 1: a verdict disagrees with mongos
/// - otherwise 2: a check failed (a line isn't a command, mongos couldn't or wouldn't explain a
///   command, or chunks moved meanwhile)
/// - otherwise 0
[[nodiscard]] int verify(const verify_flags& given);

}  // namespace scattergate::app
