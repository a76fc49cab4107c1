#pragma once

#include <string_view>

namespace scattergate::text {

/// Whether `text` matches `glob`: `*` matches any number of bytes, `?` matches one byte, and
/// every other byte matches only itself. Takes at most text.size() × glob.size() steps, so the
/// time is linear in the text for a given glob. Doesn't allocate.
[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view text) noexcept;

/// Whether `name` contains a wildcard.
[[nodiscard]] constexpr bool is_glob(std::string_view name) noexcept {
  return name.find_first_of("*?") != name.npos;
}

}  // namespace scattergate::text
