#include "telemetry/metrics/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace scattergate::telemetry {
namespace {

constexpr int digits = 16;
constexpr double too_long = 1e16;  // the first number with more digits
constexpr std::size_t longest = 32;

bool is_whole(double number) noexcept {
  return number > -too_long && number < too_long && std::trunc(number) == number;
}

template <typename... How>
void append(std::string& to, How... how) {
  std::array<char, longest> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), how...).ptr;
  to.append(text.data(), end);
}

}  // namespace

void append_number(std::string& to, double number) {
  if (is_whole(number)) return append(to, static_cast<std::int64_t>(number));
  if (std::isinf(number)) {
    to += number < 0 ? "-Inf" : "+Inf";
  } else {
    append(to, number, std::chars_format::general, digits);
  }
}

void append_canonical_number(std::string& to, double number) {
  append_number(to, number);
  if (is_whole(number)) to += ".0";
}

}  // namespace scattergate::telemetry
