#pragma once

#include <string_view>

namespace scattergate::text {

/// Whether `text` matches the pattern `glob`. In it, `*` matches any number of bytes, `?`
/// matches one byte, and every other byte matches only itself. Takes at most about text.size()
/// × glob.size() steps. Doesn't allocate.
[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view text) noexcept;

/// Whether `name` contains a wildcard: `*` or `?`.
[[nodiscard]] constexpr bool is_glob(std::string_view name) noexcept {
  return name.find_first_of("*?") != name.npos;
}

}  // namespace scattergate::text
