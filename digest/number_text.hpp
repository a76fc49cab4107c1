#pragma once

#include <chrono>
#include <cstdint>
#include <string>

/// Formats numbers and durations for people.
namespace scattergate::digest {

[[nodiscard]] std::string with_commas(std::uint64_t number);  ///< formats a number: "1,234,567"

/// Formats `part` as a percentage of `whole`: "12.3 %"; "-" if `whole` is zero.
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);

/// Formats a duration: "850 us", "12.3 ms", "4.56 s", "7m12s".
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds duration);

}  // namespace scattergate::digest
