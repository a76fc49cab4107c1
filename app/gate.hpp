#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/baseline_check.hpp"

namespace scattergate::app {

/// What `gate` was asked for.
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
  bool requires_match = false;  ///< of the catalog, with something that was sent
};

/// Whether a gate in this environment requires_match unless a flag says otherwise.
[[nodiscard]] bool requires_match_by_default();

/// Runs a command with a proxy in front of its server, and judges what it sent. Its status,
/// where that isn't 0; else 0 or 1 by --fail-on; 2 for trouble of the gate's own, told in one
/// line. The last line says PASS or FAIL, and what to do.
[[nodiscard]] int gate(const gate_flags& given);

}  // namespace scattergate::app
