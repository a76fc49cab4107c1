#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scattergate::text {

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

}  // namespace scattergate::text
