#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// The state of a shape, for people who look for findings.
enum class shape_kind : std::uint8_t {
  finding,
  resolved,  ///< a finding that was quiet for admin.resolved_after
  accepted,  ///< a finding that a rule accepts, with no other finding of late
  get_more,  ///< a getMore
  other,
};
/// As in JSON: "getMore".
[[nodiscard]] std::string_view label(shape_kind kind) noexcept;

/// The kind of a row. Findings of an earlier process are recognised by the row alone
/// (digest/finding.hpp).
[[nodiscard]] shape_kind kind_of(const digest::row& row, const live_digest::view& all);

/// How commands with these details count for their collection, by what the rules decided.
[[nodiscard]] counted_as counted_as_of(const shape_details& details) noexcept;

/// Commands of a row that were rejected or throttled since the start.
[[nodiscard]] std::uint64_t refused_of(const shape_marks* marks) noexcept;

/// The rows in the order of the page: those with refused commands first, then by cost.
[[nodiscard]] std::vector<const digest::row*> in_shown_order(const live_digest::view& all);

}  // namespace scattergate::telemetry
