#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "digest/row.hpp"

namespace scattergate::digest {

/// What the rows are sorted by.
enum class ranking : std::uint8_t { cost, time, count, errors, fanout, last_seen };

/// The name in a flag: "last-seen".
[[nodiscard]] std::string_view label(ranking by) noexcept;
[[nodiscard]] std::optional<ranking> ranking_named(std::string_view name) noexcept;
/// All names, for a usage line.
inline constexpr std::string_view ranking_names = "cost|time|count|errors|fanout|last-seen";

/// Whether a row comes before another one. By cost: by wasted shard requests, or by time if
/// none are known; scatters before others; then by name, so that the order is stable. Otherwise
/// the greater value comes first, and equal ones are sorted by cost.
[[nodiscard]] bool ranks_before(ranking by, const row& one, const row& other);

}  // namespace scattergate::digest
