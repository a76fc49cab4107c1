#include "text/percent.hpp"

#include <charconv>

namespace scattergate::text {

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  std::string encoded;
  for (const char byte : text) {
    if (plain.find(byte) != plain.npos) {
      encoded += byte;
      continue;
    }
    const auto code = static_cast<unsigned char>(byte);
    encoded += '%';
    encoded += digits[code / 16];
    encoded += digits[code % 16];
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned char code = 0;
    const char* const digits = text.data() + at + 1;
    const bool is_escape = text[at] == '%' && at + 2 < text.size() &&
                           std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    decoded += is_escape ? static_cast<char>(code) : text[at];
    if (is_escape) at += 2;
  }
  return decoded;
}

std::string_view query_parameter(std::string_view target, std::string_view name) noexcept {
  std::size_t at = target.find('?');
  while (at != target.npos) {
    target.remove_prefix(at + 1);
    const std::string_view one = target.substr(0, target.find('&'));
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) {
      return one.substr(name.size() + 1);
    }
    at = target.find('&');
  }
  return {};
}

}  // namespace scattergate::text
