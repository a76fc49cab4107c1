#pragma once

#include <string>
#include <string_view>

namespace scattergate::routing {

/// Text that is nothing but text in HTML, inside and outside of attributes; what nobody sees is
/// written as \uXXXX.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace scattergate::routing
