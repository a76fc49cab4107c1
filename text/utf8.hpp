#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Checks, cleans and shortens UTF-8 text from clients.

/// Finds invisible characters that change how the text around them is displayed: they move a
/// terminal's cursor, end a line, or change the direction of text. Names and comments from
/// clients may contain such characters. Texts for people must not: logs, audit lines, labels,
/// the page, terminals and messages all replace the characters of this list.
namespace scattergate::text {

/// A result of invisible_at(): the invisible character at the start of a text, or none.
struct invisible_character {
  std::size_t bytes = 0;  ///< the character's size in UTF-8; 0: there is none
  char16_t code = 0;      ///< the character's code point
};

/// The invisible character with which `text` begins, if any: a control (C0, DEL, C1), a
/// separator of lines or paragraphs (U+2028, U+2029), or a character that sets the direction
/// of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069; Unicode, UAX #9).
/// Invalid UTF-8 doesn't count. REQUIRES: `text` isn't empty.
[[nodiscard]] constexpr invisible_character invisible_at(std::string_view text) noexcept {
  const auto byte = [text](std::size_t at) -> unsigned {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) {
    const bool is_control = lead < 0x20 || lead == 0x7F;
    return is_control ? invisible_character{1, static_cast<char16_t>(lead)}
                      : invisible_character{};
  }
  const auto code = [](unsigned of) { return static_cast<char16_t>(of); };
  if (lead == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return {2, code(byte(1))};
  if (lead == 0xD8 && byte(1) == 0x9C) return {2, 0x061C};
  if (lead != 0xE2) return {};
  const unsigned last = byte(2);
  const bool turns_80 =
      byte(1) == 0x80 && (last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE));
  const bool turns_81 = byte(1) == 0x81 && last >= 0xA6 && last <= 0xA9;
  if (turns_80) return {3, code(0x2000 + (last & 0x3FU))};
  if (turns_81) return {3, code(0x2040 + (last & 0x3FU))};
  return {};
}

/// Whether `text` is well-formed UTF-8: no overlong forms, no surrogates, at most U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Whether `text` is UTF-8 without invisible characters (text/utf8.hpp).
[[nodiscard]] bool is_plain(std::string_view text) noexcept;

/// Replaces each invisible character (text/utf8.hpp), and each byte that isn't part of a
/// well-formed UTF-8 sequence, by U+FFFD.
[[nodiscard]] std::string to_plain(std::string_view text);

/// Replaces each byte that isn't part of a well-formed UTF-8 sequence by U+FFFD.
[[nodiscard]] std::string to_utf8(std::string_view text);

/// The first `max_bytes` bytes of `text`, or up to three bytes less, so that no UTF-8 sequence
/// is cut. All of `text` if it isn't longer. A view into `text`.
[[nodiscard]] std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) noexcept;

/// Returns cut_utf8() of `text`, with "..." appended if something was cut.
[[nodiscard]] std::string cut_with_dots(std::string_view text, std::size_t max_bytes);

}  // namespace scattergate::text
