#include "routing/bounds/regex_prefix.hpp"

#include <span>

namespace scattergate::routing {
namespace {

/// Whether a `|` may split the pattern into alternatives. Like mongos, counts every `|` after
/// two or more backslashes as one that does (mongo: query/analyze_regex.cpp,
/// stringMayHaveUnescapedPipe).
bool may_have_alternatives(std::string_view pattern) noexcept {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '|') continue;
    const bool is_escaped = i > 0 && pattern[i - 1] == '\\';
    const bool is_escape_escaped = i > 1 && pattern[i - 2] == '\\';
    if (!is_escaped || is_escape_escaped) return true;
  }
  return false;
}

bool is_alphanumeric(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Reads the literal characters at the beginning of a pattern. If the pattern is extended
/// (option x), its spaces and comments match nothing.
class prefix_reader {
 public:
  prefix_reader(std::string_view pattern, bool is_extended, std::span<char> room) noexcept
      : pattern_(pattern), room_(room), is_extended_(is_extended) {}

  std::string_view read() noexcept {
    while (at_ < pattern_.size() && step(pattern_[at_++])) {
    }
    return {room_.data(), size_};
  }

 private:
  /// Reads one item; false at the end of the literal part.
  bool step(char c) noexcept {
    if (c == '*' || c == '?') {  // makes the previous character optional
      if (size_ > 0) --size_;
      return false;
    }
    if (c == '\\') return escape();
    if (std::string_view{"^$.[()+{"}.find(c) != std::string_view::npos) return false;
    if (is_extended_ && c == '#') return false;  // a comment
    if (!is_extended_ || !is_space(c)) put(c);
    return true;
  }

  bool escape() noexcept {
    if (at_ == pattern_.size()) return false;
    const char c = pattern_[at_++];
    if (c == 'Q') {
      quoted();
      return true;
    }
    if (is_alphanumeric(c)) return false;  // a character class, an assertion or a reference
    put(c);
    return true;
  }

  /// Reads the literal text in \Q...\E, which may end at the end of the pattern.
  void quoted() noexcept {
    const std::size_t end = pattern_.find("\\E", at_);
    const std::string_view text = pattern_.substr(at_, end - at_);
    for (const char c : text) put(c);
    at_ = end == std::string_view::npos ? pattern_.size() : end + 2;
  }

  void put(char c) noexcept { room_[size_++] = c; }

  std::string_view pattern_;
  std::span<char> room_;
  bool is_extended_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

/// Looks for errors because of which no version of PCRE compiles a pattern.
class pattern_check {
 public:
  explicit pattern_check(std::string_view pattern) noexcept : pattern_(pattern) {}

  [[nodiscard]] bool is_malformed() noexcept {
    while (at_ < pattern_.size() && step(pattern_[at_++])) {
    }
    return !gave_up_ && (is_wrong_ || depth_ > 0);
  }

 private:
  /// Reads one item; false if the result is known.
  bool step(char c) noexcept {
    const bool has_item = has_item_;
    has_item_ = c != '(' && c != '|';
    switch (c) {
      case '\\':
        return escape();
      case '[':
        return bracket();
      case '(':
        ++depth_;
        gave_up_ = at_ < pattern_.size() && (pattern_[at_] == '?' || pattern_[at_] == '*');
        return !gave_up_;
      case ')':
        is_wrong_ = depth_-- == 0;
        return !is_wrong_;
      case '*':
      case '+':
      case '?':
        is_wrong_ = !has_item;
        return has_item;
      default:
        return true;
    }
  }

  bool escape() noexcept {
    is_wrong_ = at_ == pattern_.size();
    if (is_wrong_) return false;
    const char c = pattern_[at_++];
    gave_up_ = c == 'Q' || c == 'c';  // the following text is literal
    return !gave_up_;
  }

  /// Reads [...]. A ] at its beginning is a literal.
  bool bracket() noexcept {
    if (at_ < pattern_.size() && pattern_[at_] == '^') ++at_;
    if (at_ < pattern_.size() && pattern_[at_] == ']') ++at_;
    while (at_ < pattern_.size() && pattern_[at_] != ']') {
      const char c = pattern_[at_++];
      gave_up_ |= c == '[';  // perhaps a named class such as [:alpha:]
      if (c == '\\' && !escape()) return false;
    }
    is_wrong_ = at_ == pattern_.size();
    ++at_;
    return !is_wrong_ && !gave_up_;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool has_item_ = false;  ///< there is an item that a quantifier can repeat
  bool is_wrong_ = false;
  bool gave_up_ = false;
};

}  // namespace

filter_fault fault_of(const regex_parts& regex, server_version version) noexcept {
  constexpr server_version rejects_options{5, 1};
  constexpr std::string_view known_options = "ilmsux";
  bool is_extended = false;
  for (const char option : regex.options) {
    if (known_options.find(option) == std::string_view::npos && version >= rejects_options) {
      return filter_fault::bad_pattern_option;
    }
    is_extended |= option == 'x';
  }
  const bool is_bad = !is_extended && pattern_check{regex.pattern}.is_malformed();
  return is_bad ? filter_fault::bad_pattern : filter_fault::none;
}

std::optional<regex_parts> regex_of(const wire::element& value) noexcept {
  const auto bytes = value.value();
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t last = text.find('\0', end + 1);
  if (last == std::string_view::npos) return std::nullopt;
  return regex_parts{text.substr(0, end), text.substr(end + 1, last - end - 1)};
}

std::string_view literal_prefix(const regex_parts& regex, scratch& memory) noexcept {
  std::string_view pattern = regex.pattern;
  bool multiline_is_fine = false;
  if (pattern.starts_with("\\A")) {
    multiline_is_fine = true;
    pattern.remove_prefix(2);
  } else if (pattern.starts_with('^')) {
    pattern.remove_prefix(1);
  } else {
    return {};
  }
  bool is_extended = false;
  for (const char option : regex.options) {
    is_extended |= option == 'x';
    // Option s only affects dots. With any other option, even u, mongos uses no prefix (mongo:
    // query/analyze_regex.cpp, getRegexPrefixMatch).
    const bool harmless =
        option == 's' || option == 'x' || (option == 'm' && multiline_is_fine);
    if (!harmless) return {};
  }
  if (pattern.empty() || may_have_alternatives(pattern)) return {};
  const std::span<char> room = memory.allocate<char>(pattern.size());
  if (room.empty()) return {};
  return prefix_reader{pattern, is_extended, room}.read();
}

}  // namespace scattergate::routing
