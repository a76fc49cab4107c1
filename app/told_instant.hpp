#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace scattergate::app {

/// An instant as people say one: 2026-11-22T08:00:00Z, with another zone, without any (UTC), a
/// day (its beginning, UTC), or how long before `now`: 90m, 24h, 7d. Nothing where it is
/// neither.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> instant_of(
    std::string_view text, std::chrono::system_clock::time_point now);

}  // namespace scattergate::app
