#pragma once

#include <string_view>

namespace scattergate::telemetry {

/// The build's version and tools: labels of scattergate_build_info.
struct build_info {
  std::string_view version;   ///< scattergate's version, "0.1.0"
  std::string_view compiler;  ///< "gcc 12.2.0"
  std::string_view boost;     ///< "1_81"
};

/// The values of this program.
[[nodiscard]] build_info this_build() noexcept;

}  // namespace scattergate::telemetry
