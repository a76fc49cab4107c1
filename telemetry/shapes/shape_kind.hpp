#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// The state of a shape on the page and in the API.
enum class shape_kind : std::uint8_t {
  finding,   ///< a shape to report, such as a scatter
  resolved,  ///< a finding that hasn't recurred for the time admin.resolved_after
  accepted,  ///< a rule accepted findings of the shape; its other findings are resolved, or
             ///< there are none
  get_more,  ///< a getMore command
  other,     ///< not a finding
};
/// The kind's name in JSON, such as "getMore".
[[nodiscard]] std::string_view label(shape_kind kind) noexcept;

/// The kind of a row of the digest. A row counted by an earlier process has no shape_marks;
/// the row alone then decides whether it is a finding (digest/finding.hpp).
[[nodiscard]] shape_kind kind_of(const digest::row& row, const live_digest::view& all);

/// The category under which commands with these details count in collection_table.
[[nodiscard]] counted_as counted_as_of(const shape_details& details) noexcept;

/// The number of a row's commands that were rejected or throttled since the daemon started.
/// `marks`: null if the row has none.
[[nodiscard]] std::uint64_t refused_of(const shape_marks* marks) noexcept;

/// The rows in the page's order: first the rows with rejected or throttled commands, then all
/// others; within both groups, the highest cost first. Valid as long as `all`.
[[nodiscard]] std::vector<const digest::row*> in_shown_order(const live_digest::view& all);

}  // namespace scattergate::telemetry
