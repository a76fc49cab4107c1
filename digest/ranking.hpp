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

/// Whether `one` sorts before `other`. For `cost`, the row with the greater value sorts first,
/// compared by: wasted shard requests, whether the class is scatter_gather, total time, count.
/// Equal rows are sorted by name. All other orders put the greater value first, unknown values
/// last, and sort equal values by cost.
[[nodiscard]] bool ranks_before(ranking by, const row& one, const row& other);

}  // namespace scattergate::digest
