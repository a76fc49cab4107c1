#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace scattergate::app {

/// Parses an instant: 2026-11-22T08:00:00Z, with another zone, without a zone (UTC), a day (its
/// start, UTC), or an age, counted back from `now`: 90m, 24h, 7d. std::nullopt for any other
/// form.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> instant_of(
    std::string_view text, std::chrono::system_clock::time_point now);

}  // namespace scattergate::app
