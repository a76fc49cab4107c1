#include "text/utf8.hpp"

#include <algorithm>

namespace scattergate::text {
namespace {

unsigned code_unit_at(std::string_view text, std::size_t at) noexcept {
  return static_cast<unsigned char>(text[at]);
}

bool is_continuation(unsigned byte) noexcept {
  return (byte & 0xC0U) == 0x80U;
}

/// Size of the well-formed sequence at `at`, in bytes; 0 if there is none (Unicode, table 3-7).
std::size_t sequence_at(std::string_view text, std::size_t at) noexcept {
  const unsigned lead = code_unit_at(text, at);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() - at < length) return 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead == 0xE0) low = 0xA0;   // overlong
  if (lead == 0xED) high = 0x9F;  // surrogates
  if (lead == 0xF0) low = 0x90;   // overlong
  if (lead == 0xF4) high = 0x8F;  // above U+10FFFF
  const unsigned second = code_unit_at(text, at + 1);
  if (second < low || second > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!is_continuation(code_unit_at(text, at + i))) return 0;
  }
  return length;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_at(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

bool is_plain(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_at(text, at);
    if (length == 0 || invisible_at(text.substr(at)).bytes != 0) return false;
    at += length;
  }
  return true;
}

std::string to_plain(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_at(text, at);
    const bool is_seen = length != 0 && invisible_at(text.substr(at)).bytes == 0;
    out += is_seen ? text.substr(at, length) : "\xEF\xBF\xBD";
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string to_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_at(text, at);
    out += length != 0 ? text.substr(at, length) : "\xEF\xBF\xBD";
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) noexcept {
  if (text.size() <= max_bytes) return text;
  constexpr std::size_t longest_tail = 3;
  std::size_t end = max_bytes;
  for (std::size_t i = 0; i < longest_tail && end > 0; ++i) {
    if (!is_continuation(code_unit_at(text, end))) break;
    --end;
  }
  // More continuation bytes than a sequence can have: there is no sequence to keep whole.
  if (end > 0 && is_continuation(code_unit_at(text, end))) end = max_bytes;
  return text.substr(0, end);
}

std::string cut_with_dots(std::string_view text, std::size_t max_bytes) {
  std::string made{cut_utf8(text, max_bytes)};
  if (made.size() < text.size()) made += "...";
  return made;
}

}  // namespace scattergate::text
