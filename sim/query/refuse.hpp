#pragma once

#include <string>

#include "sim/values/error.hpp"

namespace scattergate::sim {

/// Throws command_failure with the message `why`.
[[noreturn]] inline void refuse(errc code, const std::string& why) {
  throw command_failure(code, why);
}
/// Throws command_failure (bad_value) with the message `why`.
[[noreturn]] inline void refuse(const std::string& why) {
  refuse(errc::bad_value, why);
}

}  // namespace scattergate::sim
