#include "app/source_flags.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "config/text/extended_json_text.hpp"
#include "config/text/scalars.hpp"
#include "text/time_text.hpp"

namespace scattergate::app {
namespace {

/// Parses a time such as 2026-11-22T08:00:00Z (with any zone; without one, UTC), a day such as
/// 2026-11-22 (the start of the day in UTC), or an age such as 90m, 24h or 7d (back from
/// `now`). std::nullopt for any other form.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> instant_of(
    std::string_view text, std::chrono::system_clock::time_point now);

using std::chrono::milliseconds;
using instant = std::chrono::system_clock::time_point;

std::optional<instant> instant_of(std::string_view text, instant now) {
  if (const auto day = text::parse_day(text)) return std::chrono::sys_days{*day};
  for (const char* zone : {"", "Z"}) {
    if (const auto millis = config::parse_time(std::string{text} + zone)) {
      return instant{milliseconds{*millis}};
    }
  }
  if (text.ends_with('d')) {
    constexpr std::uint64_t most_days = 36'500;
    const auto days = config::parse_count(text.substr(0, text.size() - 1));
    if (!days || *days > most_days) return std::nullopt;
    return now - std::chrono::days{*days};
  }
  if (const auto ago = config::parse_duration(text)) return now - *ago;
  return std::nullopt;
}

}  // namespace

text::result<std::optional<report::source_kind>> read_kind(
    const std::optional<std::string>& text) {
  if (!text) return std::optional<report::source_kind>{};
  const auto kind = report::kind_named(*text);
  if (!kind) return text::problem{"--as", "not a kind of source: '" + *text + "'"};
  return std::optional{*kind};
}

text::result<report::choice> read_window(const std::optional<std::string>& since,
                                         const std::optional<std::string>& until) {
  report::choice made;
  const auto now = std::chrono::system_clock::now();
  for (const auto& [flag, text, to] : {std::tuple{"--since", &since, &made.since},
                                       std::tuple{"--until", &until, &made.until}}) {
    if (!*text) continue;
    *to = instant_of(**text, now);
    if (*to) continue;
    return text::failure(
        std::string{flag} +
        ": expected a time such as 2026-11-22T08:00:00Z, a day, or an age such "
        "as 24h, not '" +
        **text + "'");
  }
  return made;
}

}  // namespace scattergate::app
