#include "sim/targeting/regex_prefix.hpp"

#include <cctype>

namespace scattergate::sim {
namespace {

/// Whether the text has an unescaped pipe, so that its matches may begin differently.
bool has_alternatives(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '|') continue;
    const bool is_escaped = i > 0 && text[i - 1] == '\\';
    const bool is_escape_escaped = i > 1 && text[i - 2] == '\\';
    if (!is_escaped || is_escape_escaped) return true;
  }
  return false;
}

/// The pattern after the anchor; empty without one. `options` may have m only after \A.
std::string_view after_anchor(const regex& pattern) {
  std::string_view text{pattern.pattern};
  const bool is_absolute = text.starts_with("\\A");
  if (!is_absolute && !text.starts_with('^')) return {};
  const std::string_view allowed = is_absolute ? "msx" : "sx";
  if (pattern.options.find_first_not_of(allowed) != std::string::npos) return {};
  text.remove_prefix(is_absolute ? 2 : 1);
  return has_alternatives(text) ? std::string_view{} : text;
}

/// Reads on after a backslash. False if the escape isn't a single certain text.
bool read_escaped(std::string_view& text, std::string& out) {
  if (text.empty()) return false;
  const char next = text.front();
  text.remove_prefix(1);
  if (next == 'Q') {
    const std::size_t end = text.find("\\E");
    out += text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 2);
    return true;
  }
  if (std::isalnum(static_cast<unsigned char>(next)) != 0) return false;
  out += next;
  return true;
}

}  // namespace

std::string literal_prefix(const regex& pattern) {
  std::string_view text = after_anchor(pattern);
  const bool skips_space = pattern.options.find('x') != std::string::npos;
  std::string out;
  while (!text.empty()) {
    const char next = text.front();
    text.remove_prefix(1);
    if (next == '*' || next == '?') {
      if (!out.empty()) out.pop_back();
      return out;
    }
    if (next == '\\') {
      if (!read_escaped(text, out)) return out;
      continue;
    }
    if (std::string_view{"^$.[()+{"}.find(next) != std::string_view::npos) return out;
    if (skips_space && next == '#') return out;
    if (skips_space && std::isspace(static_cast<unsigned char>(next)) != 0) continue;
    out += next;
  }
  return out;
}

}  // namespace scattergate::sim
