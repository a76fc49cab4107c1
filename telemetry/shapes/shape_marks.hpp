#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "digest/finding.hpp"
#include "digest/row.hpp"
#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::telemetry {

/// What the daemon knows about the findings (commands to report, such as scatters) of one row
/// of the digest, since the daemon started. The row itself doesn't have these facts.
struct shape_marks {
  digest::action_counts actions{};  ///< number of findings, by how rules treated them
  std::optional<digest::wall_time> regressed_at;  ///< when a finding last recurred although
                                                  ///< the shape was resolved; empty: never
  std::optional<digest::wall_time> last_finding;  ///< time of the last finding that no rule
                                                  ///< accepted; empty: none

  /// Counts several findings of a row, all with the same action. If no rule accepted them, and
  /// the previous finding is at least `resolved_after` older, sets `regressed_at`.
  /// `last_of_row`: the result of last_of(), computed before the row counts these commands.
  void count(finding_action action, const digest::counts& several,
             const std::optional<digest::wall_time>& last_of_row,
             std::chrono::nanoseconds resolved_after) noexcept {
    actions[static_cast<std::size_t>(action)] += several.count;
    if (action == finding_action::accepted || !several.first_seen) return;
    const auto before = last_finding ? last_finding : last_of_row;
    if (before && *several.first_seen - *before >= resolved_after) {
      regressed_at = several.first_seen;
    }
    if (!last_finding || *several.last_seen > *last_finding) last_finding = several.last_seen;
  }

  /// The time of the last finding according to the row alone; std::nullopt if none. For rows
  /// without marks, which an earlier process counted. `of`: null if there is no row.
  [[nodiscard]] static std::optional<digest::wall_time> last_of(const digest::row* of) {
    return of != nullptr && digest::is_finding(*of) ? of->last_seen : std::nullopt;
  }
};

/// Whether a row had findings that no rule accepted, but none for the time `resolved_after`.
/// `marks`: the row's marks; null if it has none.
[[nodiscard]] inline bool is_resolved(const digest::row& of, const shape_marks* marks,
                                      digest::wall_time now,
                                      std::chrono::nanoseconds resolved_after) {
  const auto last = marks != nullptr ? marks->last_finding : shape_marks::last_of(&of);
  return last && now - *last >= resolved_after;
}

}  // namespace scattergate::telemetry
