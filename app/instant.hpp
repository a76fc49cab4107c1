#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace scattergate::app {

/// Parses a time such as 2026-11-22T08:00:00Z (with any zone; without one, UTC), a day such as
/// 2026-11-22 (the start of the day in UTC), or an age such as 90m, 24h or 7d (back from
/// `now`). std::nullopt for any other form.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> instant_of(
    std::string_view text, std::chrono::system_clock::time_point now);

}  // namespace scattergate::app
