#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/baseline_check.hpp"

namespace scattergate::app {

/// The flags of the subcommand `gate`.
struct gate_flags {
  std::vector<std::string> command;        ///< the command to run, with its arguments
  std::optional<std::string> catalog;      ///< a file or preset:NAME; unset or `mongos`: the
                                           ///< catalog of the cluster
  std::optional<std::string> catalog_uri;  ///< connection string of the mongos to read the
                                           ///< catalog from; unset: the first upstream
  std::optional<std::string> upstream;     ///< the servers behind the proxy (hosts or a
                                           ///< connection string); unset: the servers that
                                           ///< `variables` name
  std::optional<std::string> listen;       ///< the first listener; unset: any free port
  std::optional<std::string> admin;    ///< the admin address; unset: a temporary Unix socket
  std::vector<std::string> variables;  ///< names of environment variables with connection
                                       ///< strings (--env)
  std::optional<std::string> format;   ///< format of the report on standard error; unset:
                                       ///< text
  std::vector<std::string> outputs;    ///< report files to write; their names choose the format
  baseline_flags baseline;
  bool requires_match = false;  ///< whether the run fails if no command is on a collection
                                ///< that the catalog shards
};

/// The default of requires_match: true if the environment variable CI is "true".
[[nodiscard]] bool requires_match_by_default();

/// Runs a command with a proxy in front of the server that the command uses, and reports
/// findings in the traffic: MongoDB commands that ask all shards because the shard key is
/// missing. If the command connected to the proxy, the last line on standard error says PASS
/// or FAIL, and the next step for the user.
///
/// Returns 2 if the gate can't start (such as an invalid flag, no usable server, no catalog);
/// 127 or 126 if the command can't be started (see gate_child::status_of()). Otherwise returns
/// the command's exit status if it isn't 0. Otherwise returns 2 if the command never connected
/// to the proxy, a file can't be written, or requires_match fails the run; otherwise 1 if there
/// are findings that --fail-on names (by default, new ones); otherwise 0.
[[nodiscard]] int gate(const gate_flags& given);

}  // namespace scattergate::app
