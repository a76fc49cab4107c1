#include "text/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "text/ci_commands.hpp"
#include "text/unseen.hpp"
#include "text/utf8.hpp"

namespace scattergate::text {

std::string printable(std::string_view text) {
  if (text.empty()) return {};
  const bool is_whole = is_utf8(text);
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const bool is_broken = !is_whole && static_cast<unsigned char>(text.front()) >= 0x80;
    const std::size_t unseen = is_broken ? 1 : unseen_at(text).bytes;
    shown += unseen != 0 ? '?' : text.front();
    text.remove_prefix(std::max<std::size_t>(unseen, 1));
  }
  return ci_safe_part(std::move(shown), ci_syntax::plain);
}

std::string printable_line(std::string_view line) {
  return ci_safe(printable(line), ci_syntax::plain);
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    shown += printable_line(text.substr(0, end));
    if (end == text.npos) break;
    shown += '\n';
    text.remove_prefix(end + 1);
  }
  return shown;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  if (text.size() <= longest) return "'" + printable(text) + "'";
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
  };
  std::size_t end = longest;
  while (end > longest - 3 && continues(end)) --end;  // not within a character
  return "'" + printable(text.substr(0, end)) + "...'";
}

}  // namespace scattergate::text
