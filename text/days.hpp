#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Days of the calendar, as `until` has them. Until when is meant inclusively, in UTC.
namespace scattergate::text {

using day = std::chrono::year_month_day;

/// `2027-01-31`, and nothing else.
[[nodiscard]] std::optional<day> parse_day(std::string_view text);
[[nodiscard]] std::string show_day(day of);

[[nodiscard]] day day_of(std::chrono::system_clock::time_point time);

/// Whether what was good until that day is good no more; never where no day was named.
[[nodiscard]] bool has_passed(const std::optional<day>& until, day today);

}  // namespace scattergate::text
