#pragma once

#include <string>
#include <string_view>

namespace scattergate::text {

/// Escapes `text` for HTML, inside and outside of attributes. Invisible characters
/// (text/unseen.hpp) become the text \uXXXX.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace scattergate::text
