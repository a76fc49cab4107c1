#pragma once

#include <span>
#include <string_view>

namespace scattergate::config {

/// A built-in catalog: its name ("NAME" in `preset:NAME`), and its text in the format of a
/// catalog file.
struct preset {
  std::string_view name;
  std::string_view text;
};

/// All built-in catalogs.
[[nodiscard]] std::span<const preset> presets() noexcept;

}  // namespace scattergate::config
