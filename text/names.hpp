#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scattergate::text {

/// Returns `text` with ASCII letters in lower case; all other bytes stay unchanged.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string made{text};
  for (char& letter : made) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return made;
}

/// Joins names: "a, b". After 20 names, adds the number of the remaining ones: "and 3 more".
[[nodiscard]] inline std::string listed(const std::vector<std::string>& names,
                                        std::string_view separator = ", ") {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    if (i != 0) text += separator;
    text += names[i];
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

/// The name in `known` that a user probably meant by `written`. Allows one typing error per
/// three bytes of `written`, and at least one. An error is a wrong, missing or extra byte, or
/// two swapped ones. Empty if no name is close enough, or if `written` is longer than 40 bytes.
[[nodiscard]] std::string_view nearest(std::string_view written,
                                       const std::vector<std::string_view>& known);

/// A text to append to an error message: "; did you mean 'NAME'?" with the result of nearest().
/// Empty if no name is close enough.
[[nodiscard]] std::string did_you_mean(std::string_view written,
                                       const std::vector<std::string_view>& known);

}  // namespace scattergate::text
