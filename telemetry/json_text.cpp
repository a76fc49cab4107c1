#include "telemetry/json_text.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include "telemetry/utf8.hpp"

namespace scattergate::telemetry {
namespace {

void append_escaped(std::string& to, char c) {
  switch (c) {
    case '"':
      to += "\\\"";
      return;
    case '\\':
      to += "\\\\";
      return;
    case '\n':
      to += "\\n";
      return;
    case '\r':
      to += "\\r";
      return;
    case '\t':
      to += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7F) {
    to += c;
    return;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  to += "\\u00";
  to += digits[byte >> 4U];
  to += digits[byte & 0xFU];
}

}  // namespace

void append_json_string(std::string& to, std::string_view text) {
  std::string replaced;
  if (!is_utf8(text)) {
    replaced = to_utf8(text);
    text = replaced;
  }
  to += '"';
  for (const char c : text) append_escaped(to, c);
  to += '"';
}

void append_json_date(std::string& to, std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const std::time_t clock = seconds.count();
  std::tm utc{};
  gmtime_r(&clock, &utc);
  std::array<char, 32> day{};
  std::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::array<char, 16> millis{};
  std::snprintf(millis.data(), millis.size(), ".%03dZ",
                static_cast<int>((since - seconds).count()));
  to += R"({"$date":")";
  to += day.data();
  to += millis.data();
  to += R"("})";
}

}  // namespace scattergate::telemetry
