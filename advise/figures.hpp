#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/number_text.hpp"

/// Formats numbers and lists as readable text, for use in the advice.
namespace scattergate::advise {

/// Rounds and formats a weighted count: "1,234".
[[nodiscard]] inline std::string count_text(double value) {
  return digest::with_commas(static_cast<std::uint64_t>(std::llround(value)));
}

/// Formats a weighted count with a noun, given in the singular: "1 command", "1,234 commands".
[[nodiscard]] inline std::string things_text(double count, const std::string& one) {
  const std::string number = count_text(count);
  return number + " " + one + (number == "1" ? "" : "s");
}

/// Formats a number with two decimals: "1.39".
[[nodiscard]] inline std::string number_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

/// Formats a share from 0 to 1 as a percentage: "12.3 %"; "?" if it is unknown (empty).
[[nodiscard]] inline std::string share_text(const std::optional<double>& share) {
  constexpr double million = 1e6;
  if (!share) return "?";
  return digest::percent(static_cast<std::uint64_t>(std::llround(*share * million)),
                         static_cast<std::uint64_t>(million));
}

/// Formats `part` as a percentage of `whole`: "12.3 %"; "-" if `whole` is 0.
[[nodiscard]] inline std::string share_text(double part, double whole) {
  return whole == 0 ? "-" : share_text(part / whole);
}

/// Joins the first eight texts, separated by `between`. Appends "..." if there are more.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& texts,
                                        std::string_view between) {
  constexpr std::size_t most = 8;
  std::string made;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) made += between;
    if (i == most) return made + "...";
    made += texts[i];
  }
  return made;
}

}  // namespace scattergate::advise
