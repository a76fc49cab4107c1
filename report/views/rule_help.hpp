#pragma once

#include <string_view>

#include "routing/verdict.hpp"

namespace scattergate::report {

/// The explanation of a reason why commands scatter (ask all shards), for SARIF's rules.
struct rule_help {
  std::string_view brief;  ///< one sentence
  std::string_view help;   ///< how to fix the command
};

/// The explanation of the reason `why`.
[[nodiscard]] rule_help help_for(routing::cause why) noexcept;

}  // namespace scattergate::report
