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

/// Whether `one` sorts before `other`. `cost`: the row with more wasted shard requests first,
/// then scatters, then the greater total time, then the greater count; ties by name, so that
/// the order is deterministic. Other orders: the greater value first, ties by cost.
[[nodiscard]] bool ranks_before(ranking by, const row& one, const row& other);

}  // namespace scattergate::digest
