#include "app/source_flags.hpp"

#include <chrono>
#include <tuple>

#include "app/instant.hpp"

namespace scattergate::app {

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
