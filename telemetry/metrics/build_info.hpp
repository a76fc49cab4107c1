#pragma once

#include <string_view>

namespace scattergate::telemetry {

/// The build's version and tools: labels of scattergate_build_info.
struct build_info {
  std::string_view version;   ///< scattergate's version, such as "0.1.0"
  std::string_view compiler;  ///< the compiler and its version, such as "gcc 12.2.0"
  std::string_view boost;     ///< the version of Boost, such as "1_81"
};

/// The build info of this program.
[[nodiscard]] build_info this_build() noexcept;

}  // namespace scattergate::telemetry
