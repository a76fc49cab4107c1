#pragma once

#include <cstddef>
#include <string_view>

namespace scattergate::app {

/// Whether a JSON text is a list. Ask before converting the text to BSON: there, a list becomes
/// a document with the fields "0", "1", ...
[[nodiscard]] constexpr bool is_json_list(std::string_view json) noexcept {
  const std::size_t at = json.find_first_not_of(" \t\r\n");
  return at != json.npos && json[at] == '[';
}

}  // namespace scattergate::app
