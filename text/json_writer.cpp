#include "text/json_writer.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>

#include "text/time_text.hpp"
#include "text/utf8.hpp"

namespace scattergate::text {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// The escape of one character, such as "\u0000".
using escape = std::array<char, 6>;

constexpr escape escape_of_code(unsigned code) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\',
          'u',
          digits[code >> 12U & 15U],
          digits[code >> 8U & 15U],
          digits[code >> 4U & 15U],
          digits[code & 15U]};
}

template <unsigned First, unsigned Last>
constexpr auto escapes = [] {
  std::array<escape, Last - First + 1> table{};
  for (unsigned i = 0; i < table.size(); ++i) table[i] = escape_of_code(First + i);
  return table;
}();

/// The escape of an invisible character, in static memory.
std::string_view escape_of_unseen(unsigned code) noexcept {
  const auto& found = code < 0xA0     ? escapes<0, 0x9F>[code]
                      : code < 0x2000 ? escapes<0x061C, 0x061C>[0]
                                      : escapes<0x2000, 0x206F>[code - 0x2000];
  return {found.data(), found.size()};
}

unsigned char byte_at(std::string_view text, std::size_t at) noexcept {
  return static_cast<unsigned char>(text[at]);
}

bool needs_escape(unsigned char c) noexcept {
  return c < 0x20 || c == '"' || c == '\\' || c == 0x7F;
}

std::string_view escape_of(unsigned char c) noexcept {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return escape_of_unseen(c);
  }
}

/// The valid bytes after a lead byte (Unicode, table 3-7): the number of bytes, and the range
/// of the first of them, which excludes overlong forms, surrogates and values above U+10FFFF.
struct utf8_tail {
  std::size_t count = 0;  ///< 0: not a lead byte
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

utf8_tail tail_of(unsigned char lead) noexcept {
  if (lead >= 0xC2 && lead <= 0xDF) return {1};
  if (lead == 0xE0) return {2, 0xA0, 0xBF};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {2};
  if (lead == 0xF0) return {3, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {3};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  return {};
}

struct sequence {
  std::size_t bytes;
  bool is_valid;
};

/// The multi-byte character at the start of `text`, or the maximal invalid sequence.
sequence leading_sequence(std::string_view text) noexcept {
  const utf8_tail tail = tail_of(byte_at(text, 0));
  if (tail.count == 0) return {1, false};
  for (std::size_t i = 1; i <= tail.count; ++i) {
    const unsigned char low = i == 1 ? tail.low : 0x80;
    const unsigned char high = i == 1 ? tail.high : 0xBF;
    if (i >= text.size() || byte_at(text, i) < low || byte_at(text, i) > high)
      return {i, false};
  }
  return {tail.count + 1, true};
}

void append_digits(std::string& to, auto value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  to.append(digits.data(), end);
}

}  // namespace

json_piece next_json_piece(std::string_view text) noexcept {
  if (needs_escape(byte_at(text, 0))) return {escape_of(byte_at(text, 0)), 1};
  std::size_t at = 0;
  while (at < text.size() && !needs_escape(byte_at(text, at))) {
    if (byte_at(text, at) < 0x80) {
      ++at;
      continue;
    }
    const sequence found = leading_sequence(text.substr(at));
    const invisible_character unseen = invisible_at(text.substr(at));
    if (!found.is_valid || unseen.bytes != 0) {
      if (at != 0) break;
      return {found.is_valid ? escape_of_unseen(unseen.code) : replacement, found.bytes};
    }
    at += found.bytes;
  }
  return {text.substr(0, at), at};
}

void append_json_inside(std::string& to, std::string_view text) {
  while (!text.empty()) {
    const json_piece piece = next_json_piece(text);
    to += piece.text;
    text.remove_prefix(piece.consumed);
  }
}

void append_json_string(std::string& to, std::string_view text) {
  to += '"';
  append_json_inside(to, text);
  to += '"';
}

void escape_invisible_in_json(std::string& json) {
  std::string escaped;
  std::size_t kept = 0;  // everything before it has been copied
  std::size_t at = 0;
  while (at < json.size()) {
    const invisible_character unseen = invisible_at(std::string_view{json}.substr(at));
    const bool is_layout = unseen.bytes == 1 && unseen.code != 0x7F;
    if (unseen.bytes == 0 || is_layout) {
      ++at;
      continue;
    }
    escaped.append(json, kept, at - kept).append(escape_of_unseen(unseen.code));
    at += unseen.bytes;
    kept = at;
  }
  if (kept != 0) json = escaped.append(json, kept);
}

void json_writer::before_value() {
  if (needs_comma_) to_ += ',';
  needs_comma_ = true;
}

void json_writer::open(char bracket) {
  before_value();
  to_ += bracket;
  arrays_ = arrays_ << 1U | (bracket == '[' ? 1U : 0U);
  needs_comma_ = false;
}

void json_writer::end() {
  to_ += (arrays_ & 1U) != 0 ? ']' : '}';
  arrays_ >>= 1U;
  needs_comma_ = true;
}

void json_writer::name(std::string_view name) {
  text(name);
  to_ += ':';
  needs_comma_ = false;
}

void json_writer::text(std::string_view value) {
  before_value();
  append_json_string(to_, value);
}

void json_writer::raw(std::string_view json) {
  before_value();
  to_ += json;
}

void json_writer::signed_number(std::int64_t value) {
  before_value();
  append_digits(to_, value);
}

void json_writer::unsigned_number(std::uint64_t value) {
  before_value();
  append_digits(to_, value);
}

void json_writer::decimal(double value, int digits) {
  std::array<char, 400> text;  // the largest number has 309 digits before the point
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  raw({text.data(), static_cast<std::size_t>(length)});
}

void json_writer::time(std::chrono::system_clock::time_point value) {
  text(time_text(value));
}

void json_writer::texts(std::string_view name, std::span<const std::string> values) {
  array(name);
  for (const std::string& each : values) text(each);
  end();
}

void json_writer::time_or_null(
    std::string_view name, const std::optional<std::chrono::system_clock::time_point>& value) {
  this->name(name);
  value ? time(*value) : null();
}

}  // namespace scattergate::text
