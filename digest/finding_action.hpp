#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/label_table.hpp"

namespace scattergate::digest {

/// A proxy's action on a finding (a command that the audit log records). It is the label
/// `action` of the metric scattergate_findings_total, and the member `action` of audit lines.
enum class finding_action : std::uint8_t {
  observed,        ///< only counted and reported
  accepted,        ///< an accept rule matches: raises no alarm
  rejected,        ///< a reject rule matches
  throttled,       ///< a throttle rule matches, which limits the rate of its commands
  would_reject,    ///< a dry-run reject rule matches; counts in addition to the action taken
  would_throttle,  ///< a dry-run throttle rule matches; counts in addition to the action taken
  expired,         ///< observed, because the accept rule that matches has expired
};
/// The number of actions.
inline constexpr std::size_t finding_action_count = wire::enum_count<finding_action>();
/// The action's name in metrics and audit lines.
[[nodiscard]] std::string_view label(finding_action action) noexcept;

/// Counts of a shape's findings by action.
using action_counts = std::array<std::uint64_t, finding_action_count>;

/// Whether there is at least one finding, and rules accepted all of them.
[[nodiscard]] bool are_all_accepted(const action_counts& of) noexcept;

}  // namespace scattergate::digest
