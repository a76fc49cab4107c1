#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Calendar days in UTC, for settings named `until`. Such a setting is the last day on which
/// its entry, such as a rule, applies.
namespace scattergate::text {

using day = std::chrono::year_month_day;

/// Parses a day such as `2027-01-31`; std::nullopt for any other form and for days that don't
/// exist.
[[nodiscard]] std::optional<day> parse_day(std::string_view text);
/// Formats a day, such as `2027-01-31`.
[[nodiscard]] std::string show_day(day of);

/// The UTC day that contains this time.
[[nodiscard]] day day_of(std::chrono::system_clock::time_point time);

/// Whether `today` is after `until`; false if `until` is std::nullopt (forever).
[[nodiscard]] bool has_passed(const std::optional<day>& until, day today);

/// Formats a time in UTC as in RFC 3339, with milliseconds: 2024-05-01T12:00:00.000Z.
[[nodiscard]] std::string time_text(std::chrono::system_clock::time_point time);

}  // namespace scattergate::text
