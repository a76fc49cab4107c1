#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "digest/row.hpp"

namespace scattergate::digest {

/// The sort order of rows.
enum class ranking : std::uint8_t { cost, time, count, errors, fanout, last_seen };

/// The order's name in command-line flags: "last-seen".
[[nodiscard]] std::string_view label(ranking by) noexcept;
/// The order with this flag name; std::nullopt if there is none.
[[nodiscard]] std::optional<ranking> ranking_named(std::string_view name) noexcept;
/// All flag names, for usage texts.
inline constexpr std::string_view ranking_names = "cost|time|count|errors|fanout|last-seen";

/// Whether `one` sorts before `other`. The row with the greater value of `by` comes first;
/// unknown values come last. Rows with equal values are sorted by cost: first by wasted shard
/// requests, then scatter_gather before other classes, then by total time and by count. Rows of
/// equal cost are sorted by name.
[[nodiscard]] bool ranks_before(ranking by, const row& one, const row& other);

}  // namespace scattergate::digest
