#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "digest/row.hpp"

/// Numbers and times as people read them.
namespace scattergate::report {

[[nodiscard]] std::string with_commas(std::uint64_t number);  ///< 1,234,567

/// "12.3 %"; "-" of nothing.
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);

/// "850 us", "12.3 ms", "4.56 s", "7m12s"
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds duration);

/// RFC 3339 in UTC, milliseconds.
[[nodiscard]] std::string time_text(digest::wall_time time);

}  // namespace scattergate::report
