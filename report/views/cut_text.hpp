#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/utf8.hpp"

namespace scattergate::report {

/// The first bytes of a text, with "..." if it is longer.
[[nodiscard]] inline std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string{text};
  return std::string{text::cut_utf8(text, most)} + "...";
}

}  // namespace scattergate::report
