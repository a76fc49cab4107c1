#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Calendar days in UTC, for the settings named `until`: the last day on which the entry with
/// this setting (such as a rule) applies.
namespace scattergate::text {

using day = std::chrono::year_month_day;

/// Parses `2027-01-31`; std::nullopt for any other form.
[[nodiscard]] std::optional<day> parse_day(std::string_view text);
/// Formats a day as `2027-01-31`.
[[nodiscard]] std::string show_day(day of);

/// The UTC day that contains this time.
[[nodiscard]] day day_of(std::chrono::system_clock::time_point time);

/// Whether `today` is after `until`; false if `until` is std::nullopt (forever).
[[nodiscard]] bool has_passed(const std::optional<day>& until, day today);

}  // namespace scattergate::text
