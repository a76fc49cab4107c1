#pragma once

#include <string>
#include <string_view>

namespace scattergate::text {

/// Escapes `text` for HTML: for elements and for quoted attributes. Invisible characters
/// (text/unseen.hpp) become the visible text \uXXXX; bytes that aren't UTF-8 become U+FFFD.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace scattergate::text
