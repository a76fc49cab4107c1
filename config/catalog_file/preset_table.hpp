#pragma once

#include <span>
#include <string_view>

namespace scattergate::config {

/// A catalog that is built in.
struct preset {
  std::string_view name;
  std::string_view text;
};

/// All of them.
[[nodiscard]] std::span<const preset> presets() noexcept;

}  // namespace scattergate::config
