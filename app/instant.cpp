#include "app/instant.hpp"

#include <string>

#include "config/text/extended_json_text.hpp"
#include "config/text/scalars.hpp"
#include "text/days.hpp"

namespace scattergate::app {

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

}  // namespace scattergate::app
