#pragma once

#include <string>
#include <string_view>

namespace scattergate::text {

/// `text` escaped for HTML, inside and outside of attributes; invisible characters are written
/// as \uXXXX.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace scattergate::text
