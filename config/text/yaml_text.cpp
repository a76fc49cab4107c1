#include "config/text/yaml_text.hpp"

#include <array>
#include <cstdio>

namespace scattergate::config {

std::string quoted_yaml(std::string_view text) {
  std::string quoted = "\"";
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '"' || byte == '\\') {
      quoted += '\\';
      quoted += byte;
    } else if (code < 0x20 || code == 0x7f) {
      std::array<char, 5> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(code));
      quoted += escape.data();
    } else {
      quoted += byte;
    }
  }
  return quoted + '"';
}

std::string yaml_list_of(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : ", ") + quoted_yaml(one);
  return "[" + text + "]";
}

}  // namespace scattergate::config
