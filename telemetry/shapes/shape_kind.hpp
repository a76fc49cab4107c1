#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// What a shape is to whoever looks for findings.
enum class shape_kind : std::uint8_t {
  finding,
  resolved,  ///< a finding that was quiet for admin.resolved_after
  accepted,  ///< a finding that a rule accepts, and nothing else of late
  get_more,  ///< it continues a cursor where that was opened
  other,
};
/// As in JSON: "getMore".
[[nodiscard]] std::string_view label(shape_kind kind) noexcept;

/// What a row is. Findings that an earlier process has counted are known by the row alone
/// (digest/finding.hpp).
[[nodiscard]] shape_kind kind_of(const digest::row& row, const live_digest::view& all);

/// What the commands of one kind are to their collection: as the rules decided of them.
[[nodiscard]] counted_as counted_as_of(const shape_details& details) noexcept;

/// Commands of a row that were rejected or throttled since the process started.
[[nodiscard]] std::uint64_t refused_of(const shape_marks* marks) noexcept;

/// The rows in the order in which a page shows them: those with refused commands first, then by
/// cost.
[[nodiscard]] std::vector<const digest::row*> in_shown_order(const live_digest::view& all);

}  // namespace scattergate::telemetry
