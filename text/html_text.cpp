#include "text/html_text.hpp"

#include <array>
#include <cstdio>

#include "text/unseen.hpp"
#include "text/utf8.hpp"

namespace scattergate::text {
namespace {

std::string_view entity_of(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  if (!is_utf8(text)) return html_text(to_utf8(text));
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    if (const auto unseen = unseen_at(text); unseen.bytes != 0) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(unseen.code));
      safe += code.data();
      text.remove_prefix(unseen.bytes);
      continue;
    }
    const std::string_view entity = entity_of(text.front());
    if (entity.empty()) {
      safe += text.front();
    } else {
      safe += entity;
    }
    text.remove_prefix(1);
  }
  return safe;
}

}  // namespace scattergate::text
