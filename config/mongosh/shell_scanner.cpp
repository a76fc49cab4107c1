#include "config/mongosh/shell_scanner.hpp"

#include <algorithm>
#include <charconv>

#include "text/printable.hpp"

namespace scattergate::config {
namespace {

bool add_to(tree_builder& tree, const shell_value& value) {
  if (value.kind == node_kind::scalar) {
    return tree.scalar(value.text, value.is_plain, value.line);
  }
  if (!tree.open(value.kind, value.line)) return false;
  for (std::size_t i = 0; i < value.members.size(); ++i) {
    if (value.is_map() && !tree.scalar(value.keys[i], false, value.line)) return false;
    if (!add_to(tree, value.members[i])) return false;
  }
  tree.close();
  return true;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}

/// Appends a code unit of UTF-16; half of a surrogate pair becomes U+FFFD.
void append_utf8(std::string& to, unsigned code) {
  if (code >= 0xD800 && code < 0xE000) code = 0xFFFD;
  const auto append = [&to](unsigned byte) { to += static_cast<char>(byte); };
  if (code < 0x80) return append(code);
  if (code < 0x800) {
    append(0xC0 | (code >> 6U));
  } else {
    append(0xE0 | (code >> 12U));
    append(0x80 | ((code >> 6U) & 0x3FU));
  }
  append(0x80 | (code & 0x3FU));
}

bool opens(char c) {
  return c == '(' || c == '[' || c == '{';
}

bool closes(char c) {
  return c == ')' || c == ']' || c == '}';
}

}  // namespace

shell_value shell_value::plain(std::string text) {
  shell_value made;
  made.text = std::move(text);
  return made;
}

shell_value shell_value::quoted(std::string text) {
  shell_value made = plain(std::move(text));
  made.is_plain = false;
  return made;
}

shell_value shell_value::list(std::vector<shell_value> members) {
  shell_value made;
  made.kind = node_kind::list;
  made.members = std::move(members);
  return made;
}

shell_value shell_value::map(std::vector<std::pair<std::string, shell_value>> entries) {
  shell_value made;
  made.kind = node_kind::map;
  for (auto& [key, value] : entries) made.set(key, std::move(value));
  return made;
}

const shell_value* shell_value::find(std::string_view key) const noexcept {
  const auto at = std::find(keys.begin(), keys.end(), key);
  return at == keys.end() ? nullptr : &members[static_cast<std::size_t>(at - keys.begin())];
}

void shell_value::set(std::string_view key, shell_value value) {
  const auto at = std::find(keys.begin(), keys.end(), key);
  if (at != keys.end()) {
    members[static_cast<std::size_t>(at - keys.begin())] = std::move(value);
    return;
  }
  keys.emplace_back(key);
  members.push_back(std::move(value));
}

std::size_t shell_value::size_bytes() const noexcept {
  std::size_t sum = sizeof(shell_value) + text.size();
  for (const std::string& key : keys) sum += sizeof(std::string) + key.size();
  for (const shell_value& member : members) sum += member.size_bytes();
  return sum;
}

std::size_t shell_value::depth() const noexcept {
  std::size_t deepest = 0;
  for (const shell_value& member : members) deepest = std::max(deepest, member.depth());
  return deepest + 1;
}

parse_result<bson_bytes> shell_value::to_bson() const {
  tree_builder tree;
  if (!add_to(tree, *this)) return parse_problem{line, "too many values"};
  return bson_of(tree.finish().root());
}

void shell_scanner::skip_char() noexcept {
  if (text_.front() == '\n') ++line_;
  text_.remove_prefix(1);
}

void shell_scanner::skip_blanks() {
  constexpr std::string_view no_break_space = "\xC2\xA0";
  while (!text_.empty()) {
    if (is_blank(text_.front())) {
      skip_char();
    } else if (text_.starts_with(no_break_space)) {
      text_.remove_prefix(no_break_space.size());
    } else if (text_.starts_with("//")) {
      text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
    } else if (text_.starts_with("/*")) {
      const std::size_t end = text_.find("*/", 2);
      if (end == text_.npos) fail("a comment without its end */");
      for (std::size_t left = end + 2; left > 0; --left) skip_char();
    } else {
      return;
    }
  }
}

bool shell_scanner::at_end() {
  skip_blanks();
  return text_.empty();
}

char shell_scanner::peek() {
  return at_end() ? '\0' : text_.front();
}

bool shell_scanner::take(char expected) {
  if (peek() != expected || text_.empty()) return false;
  skip_char();
  return true;
}

void shell_scanner::expect(char expected) {
  if (take(expected)) return;
  fail(std::string{"expected "} + expected + ", not " + next_words());
}

std::string_view shell_scanner::name() {
  skip_blanks();
  std::size_t size = 0;
  while (size < text_.size() &&
         (is_letter(text_[size]) || (size > 0 && is_digit(text_[size])))) {
    ++size;
  }
  const std::string_view found = text_.substr(0, size);
  text_.remove_prefix(size);
  return found;
}

void shell_scanner::append_escaped(std::string& to) {
  if (text_.empty()) fail("a text without its closing quote");
  const char kind = text_.front();
  skip_char();
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 0;
  if (digits != 0) {
    unsigned code = 0;
    const std::string_view hex = text_.substr(0, digits);
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (hex.size() != digits || error != std::errc{} || end != hex.data() + digits) {
      fail(std::string{"expected hexadecimal digits after \\"} + kind);
    }
    text_.remove_prefix(digits);
    append_utf8(to, code);
    return;
  }
  constexpr std::string_view kinds = "nrtbfv0";
  constexpr std::string_view values{"\n\r\t\b\f\v\0", 7};
  const std::size_t at = kinds.find(kind);
  if (kind != '\n') to += at == kinds.npos ? kind : values[at];
}

std::string shell_scanner::quoted() {
  const char quote = peek();
  skip_char();
  std::string made;
  for (;;) {
    if (text_.empty() || (text_.front() == '\n' && quote != '`')) {
      fail("a text without its closing quote");
    }
    const char c = text_.front();
    if (quote == '`' && text_.starts_with("${"))
      fail("a template with ${...}: expected a text");
    skip_char();
    if (c == quote) return made;
    if (c == '\\') {
      append_escaped(made);
    } else {
      made += c;
    }
  }
}

std::string shell_scanner::number() {
  skip_blanks();
  std::string made;
  if (!text_.empty() && (text_.front() == '-' || text_.front() == '+')) {
    if (text_.front() == '-') made += '-';
    text_.remove_prefix(1);
  }
  if (!text_.empty() && text_.front() == '.') made += '0';
  while (!text_.empty()) {
    const char c = text_.front();
    const bool is_sign = (c == '+' || c == '-') && (made.ends_with('e') || made.ends_with('E'));
    if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && c != '_' && !is_sign) break;
    if (c != '_') made += c;
    text_.remove_prefix(1);
  }
  if (made.ends_with('.')) made.pop_back();
  const bool is_number = !made.empty() && is_digit(made.back());
  if (!is_number || (!text_.empty() && is_letter(text_.front()))) {
    fail("expected a number in decimal digits, not " + next_words());
  }
  return made;
}

shell_scanner::regex shell_scanner::pattern() {
  expect('/');
  regex made;
  bool is_in_class = false;
  for (;;) {
    if (text_.empty() || text_.front() == '\n') fail("a regular expression without its end /");
    const char c = text_.front();
    text_.remove_prefix(1);
    if (c == '/' && !is_in_class) break;
    if (c == '[') is_in_class = true;
    if (c == ']') is_in_class = false;
    if (c == '\\' && !text_.empty() && text_.front() != '\n') {
      if (text_.front() != '/') made.pattern += c;
      made.pattern += text_.front();
      text_.remove_prefix(1);
    } else {
      made.pattern += c;
    }
  }
  while (!text_.empty() && is_letter(text_.front())) {
    made.flags += text_.front();
    text_.remove_prefix(1);
  }
  return made;
}

void shell_scanner::skip_brackets() {
  for (std::size_t depth = 1; depth > 0;) {
    const char c = peek();
    if (text_.empty()) fail("a bracket isn't closed");
    if (is_quote(c)) {
      static_cast<void>(quoted());
      continue;
    }
    skip_char();
    if (opens(c)) ++depth;
    if (closes(c)) --depth;
  }
}

void shell_scanner::skip_statement() {
  std::size_t depth = 0;
  while (!text_.empty()) {
    const char c = text_.front();
    if (depth == 0 && (c == ';' || c == '\n')) return;
    if (is_quote(c)) {
      static_cast<void>(quoted());
      continue;
    }
    skip_char();
    if (opens(c)) ++depth;
    if (closes(c) && depth > 0) --depth;
  }
}

std::size_t shell_scanner::line() {
  skip_blanks();
  return line_;
}

void shell_scanner::fail(const std::string& what) {
  throw shell_error{{line_, what}};
}

std::string shell_scanner::next_words() {
  constexpr std::size_t most = 30;
  const std::size_t end = std::min({text_.find('\n'), text_.size(), most});
  return end == 0 ? "the end" : text::in_quotes(text_.substr(0, end));
}

}  // namespace scattergate::config
