#include "digest/number_text.hpp"

#include <array>
#include <cstdio>

namespace scattergate::digest {
namespace {

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return formatted("%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string duration_text(std::chrono::nanoseconds duration) {
  const double us = static_cast<double>(duration.count()) / 1e3;
  if (us < 1e3) return formatted("%.0f us", us);
  if (us < 1e6) return formatted("%.1f ms", us / 1e3);
  if (us < 6e7) return formatted("%.2f s", us / 1e6);
  const auto seconds = static_cast<std::int64_t>(us / 1e6);
  return formatted("%lldm%02llds", static_cast<long long>(seconds / 60),
                   static_cast<long long>(seconds % 60));
}

}  // namespace scattergate::digest
