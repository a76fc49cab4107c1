#pragma once

#include <string>
#include <string_view>

namespace scattergate::text {

/// Returns `text` with ASCII letters in lower case; all other bytes stay unchanged.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string made{text};
  for (char& letter : made) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return made;
}

}  // namespace scattergate::text
