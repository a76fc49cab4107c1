#pragma once

#include <string_view>

#include "routing/verdict.hpp"

namespace scattergate::report {

/// Explains a reason for scattering to readers who don't know it.
struct rule_help {
  std::string_view brief;  ///< one sentence
  std::string_view help;   ///< the fix
};

[[nodiscard]] rule_help help_for(routing::cause why) noexcept;

}  // namespace scattergate::report
