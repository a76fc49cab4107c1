#pragma once

#include <string_view>

#include "routing/verdict.hpp"

namespace scattergate::report {

/// What a reason for scattering means, for those who read of it for the first time.
struct rule_help {
  std::string_view brief;  ///< one sentence
  std::string_view help;   ///< what to do about it
};

[[nodiscard]] rule_help help_for(routing::cause why) noexcept;

}  // namespace scattergate::report
