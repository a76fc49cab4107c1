#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "digest/row.hpp"

namespace scattergate::digest {

/// What decides which row is shown first.
enum class ranking : std::uint8_t { cost, time, count, errors, fanout, last_seen };

/// As a flag names it: "last-seen".
[[nodiscard]] std::string_view label(ranking by) noexcept;
[[nodiscard]] std::optional<ranking> ranking_named(std::string_view name) noexcept;
/// All of them, as a usage line has them: "cost|time|...".
inline constexpr std::string_view ranking_names = "cost|time|count|errors|fanout|last-seen";

/// Whether a row is to be shown before another. By cost: by wasted shard requests, where none
/// are known by time; what scatters before what doesn't; then by name, so that the order is
/// always the same. By anything else the greater is first, and equal ones are told by cost.
[[nodiscard]] bool ranks_before(ranking by, const row& one, const row& other);

}  // namespace scattergate::digest
