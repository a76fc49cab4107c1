#include "text/printable.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>

#include "text/utf8.hpp"

namespace scattergate::text {
namespace {

std::string replacement_of(char letter, ci_syntax syntax) {
  std::array<char, 8> escape{};
  const auto code = static_cast<unsigned>(static_cast<unsigned char>(letter));
  switch (syntax) {
    case ci_syntax::plain:
      return {'\\', letter};
    case ci_syntax::json:
      std::snprintf(escape.data(), escape.size(), "\\u%04x", code);
      break;
    case ci_syntax::markup:
      std::snprintf(escape.data(), escape.size(), "&#%u;", code);
      break;
  }
  return escape.data();
}

/// A text, of which single characters are replaced from its beginning to its end.
class breaking {
 public:
  breaking(std::string text, ci_syntax syntax) : text_(std::move(text)), syntax_(syntax) {}

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  void replace(std::size_t at) {
    broken_.append(text_, kept_, at - kept_).append(replacement_of(text_[at], syntax_));
    kept_ = at + 1;
  }
  [[nodiscard]] std::string take() {
    if (kept_ == 0) return std::move(text_);
    return std::move(broken_.append(text_, kept_));
  }

 private:
  std::string text_;
  ci_syntax syntax_;
  std::string broken_;
  std::size_t kept_ = 0;  // everything before it has been copied
};

/// `##`, letters, and `[`.
std::string without_hash_commands(std::string text, ci_syntax syntax) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  breaking made{std::move(text), syntax};
  const std::string_view all = made.text();
  for (std::size_t at = all.find("##"); at != all.npos; at = all.find("##", at + 1)) {
    const std::size_t end = all.find_first_not_of(letters, at + 2);
    if (end != all.npos && all[end] == '[') made.replace(at + 1);
  }
  return made.take();
}

/// `section_start:` or `section_end:`, and a digit.
std::string without_sections(std::string text, ci_syntax syntax) {
  constexpr std::string_view section = "section_";
  breaking made{std::move(text), syntax};
  const std::string_view all = made.text();
  for (std::size_t at = all.find(section); at != all.npos; at = all.find(section, at + 1)) {
    for (const std::string_view kind : {"start:", "end:"}) {
      const std::string_view rest = all.substr(at + section.size());
      if (!rest.starts_with(kind) || rest.size() == kind.size()) continue;
      const char digit = rest[kind.size()];
      if (digit >= '0' && digit <= '9') made.replace(at + section.size() - 1);
    }
  }
  return made.take();
}

/// The position of the first character of a command that begins `line`; npos: none. GitHub's
/// runner ignores leading white space, including Unicode's.
std::size_t command_at_start(std::string_view line) {
  for (const std::string_view marker : {"--- ", "+++ ", "~~~ ", "^^^ +++"}) {
    if (line.starts_with(marker)) return 0;
  }
  std::size_t begin = 0;
  const auto is_skipped = [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return code <= ' ' || code >= 0x7f;
  };
  while (begin < line.size() && is_skipped(line[begin])) ++begin;
  return line.substr(begin).starts_with("::") ? begin : line.npos;
}

std::string without_line_commands(std::string text, ci_syntax syntax) {
  breaking made{std::move(text), syntax};
  const std::string_view all = made.text();
  for (std::size_t at = 0; at < all.size();) {
    // Runners end lines at carriage returns, too.
    const std::size_t end = std::min(all.find_first_of("\r\n", at), all.size());
    const std::size_t found = command_at_start(all.substr(at, end - at));
    if (found != all.npos) made.replace(at + found);
    at = end + 1;
  }
  return made.take();
}

}  // namespace

std::string ci_safe_part(std::string text, ci_syntax syntax) {
  return without_sections(without_hash_commands(std::move(text), syntax), syntax);
}

std::string ci_safe(std::string text, ci_syntax syntax) {
  std::string safe = ci_safe_part(std::move(text), syntax);
  // In JSON, strings contain no line ends, so no line begins with a client's text.
  return syntax == ci_syntax::json ? safe : without_line_commands(std::move(safe), syntax);
}

std::string printable(std::string_view text) {
  if (text.empty()) return {};
  const bool is_whole = is_utf8(text);
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const bool is_broken = !is_whole && static_cast<unsigned char>(text.front()) >= 0x80;
    const std::size_t unseen = is_broken ? 1 : invisible_at(text).bytes;
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
