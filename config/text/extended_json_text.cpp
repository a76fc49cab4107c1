#include "config/text/extended_json_text.hpp"

#include <array>
#include <charconv>
#include <chrono>

namespace scattergate::config {
namespace {

int base64_digit(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  if (digit == '+') return 62;
  if (digit == '/') return 63;
  return -1;
}

// Takes exactly `digits` decimal digits from the front.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits || text.find_first_not_of("0123456789") < digits)
    return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// Takes ".123456": its milliseconds, further digits dropped.
std::optional<int> take_fraction(std::string_view& text) {
  if (!take(text, '.')) return 0;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return std::nullopt;
  int millis = 0;
  for (std::size_t i = 0; i < 3; ++i) millis = millis * 10 + (i < digits ? text[i] - '0' : 0);
  text.remove_prefix(digits);
  return millis;
}

std::optional<std::chrono::minutes> take_zone(std::string_view& text) {
  if (take(text, 'Z')) return std::chrono::minutes{0};
  const bool west = !text.empty() && text.front() == '-';
  if (!west && (text.empty() || text.front() != '+')) return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  static_cast<void>(take(text, ':'));  // +0100 is as common as +01:00
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::chrono::minutes offset{*hours * 60 + *minutes};
  return west ? -offset : offset;
}

std::optional<std::chrono::sys_days> take_day(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date};
}

std::optional<std::chrono::seconds> take_clock(std::string_view& text) {
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || !take(text, ':')) return std::nullopt;
  const auto seconds = take_digits(text, 2);
  if (!seconds || *hours > 23 || *minutes > 59 || *seconds > 60) return std::nullopt;
  return std::chrono::seconds{(*hours * 60 + *minutes) * 60 + *seconds};
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && !text.empty() && text.back() == '=') {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char one : text) {
    const int digit = base64_digit(one);
    if (digit < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>((bits >> held) & 0xff);
  }
  return bytes;
}

std::optional<std::string> decode_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size();) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i++] != '-') return std::nullopt;
      continue;
    }
    std::uint8_t byte = 0;
    const char* const begin = text.data() + i;
    if (std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
    i += 2;
  }
  return bytes;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  const auto day = take_day(text);
  if (!day || !take(text, 'T')) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  const auto millis = take_fraction(text);
  const auto zone = millis ? take_zone(text) : std::nullopt;
  if (!zone || !text.empty()) return std::nullopt;
  const auto moment = *day + *clock - *zone + std::chrono::milliseconds{*millis};
  return std::chrono::duration_cast<std::chrono::milliseconds>(moment.time_since_epoch())
      .count();
}

}  // namespace scattergate::config
