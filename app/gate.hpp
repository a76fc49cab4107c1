#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/baseline_check.hpp"

namespace scattergate::app {

/// The flags of `gate`.
struct gate_flags {
  std::vector<std::string> command;
  std::optional<std::string> catalog;
  std::optional<std::string> catalog_uri;
  std::optional<std::string> upstream;
  std::optional<std::string> listen;
  std::optional<std::string> admin;
  std::vector<std::string> variables;
  std::optional<std::string> format;
  std::vector<std::string> outputs;
  baseline_flags baseline;
  bool requires_match = false;  ///< the catalog must match some of the traffic
};

/// The default of requires_match in this environment.
[[nodiscard]] bool requires_match_by_default();

/// Runs a command with a proxy in front of its server, and judges its traffic. Returns the
/// command's status if that isn't 0; otherwise 0 or 1 by --fail-on; 2 if the gate itself fails,
/// with one line that says why. The last line says PASS or FAIL, and what to do.
[[nodiscard]] int gate(const gate_flags& given);

}  // namespace scattergate::app
