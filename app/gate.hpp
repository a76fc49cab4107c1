#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/baseline_check.hpp"

namespace scattergate::app {

/// The flags of `gate`.
struct gate_flags {
  std::vector<std::string> command;        ///< with its arguments
  std::optional<std::string> catalog;      ///< unset: the catalog of the cluster
  std::optional<std::string> catalog_uri;  ///< unset: the first upstream
  std::optional<std::string> upstream;     ///< unset: the servers that the variables name
  std::optional<std::string> listen;       ///< the proxy's address; unset: any free port
  std::optional<std::string> admin;        ///< unset: a temporary Unix socket
  std::vector<std::string> variables;      ///< names of environment variables (--env)
  std::optional<std::string> format;       ///< of standard error; unset: text
  std::vector<std::string> outputs;        ///< files; their names choose the format
  baseline_flags baseline;
  bool requires_match = false;  ///< fail unless the catalog matches some of the traffic
};

/// The default of requires_match: true if the environment variable CI is "true".
[[nodiscard]] bool requires_match_by_default();

/// Runs a command with a proxy in front of the server that it uses, and judges its traffic.
/// Returns the command's exit status if it isn't 0. Otherwise, returns 2 if the gate itself
/// fails, and 1 or 0 by --fail-on. The last line on standard error has PASS or FAIL, and what
/// to do.
[[nodiscard]] int gate(const gate_flags& given);

}  // namespace scattergate::app
