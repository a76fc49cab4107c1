#include "telemetry/shapes/shape_kind.hpp"

#include <algorithm>
#include <numeric>

#include "digest/finding.hpp"
#include "routing/command_kind.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

constexpr wire::label_table<shape_kind> labels{{
    {shape_kind::finding, "finding"},
    {shape_kind::resolved, "resolved"},
    {shape_kind::accepted, "accepted"},
    {shape_kind::get_more, "getMore"},
    {shape_kind::other, "other"},
}};

std::uint64_t count_of(const shape_marks* marks, finding_action action) noexcept {
  return marks == nullptr ? 0 : marks->actions[static_cast<std::size_t>(action)];
}

/// Findings that no rule accepted.
std::uint64_t alarms_of(const shape_marks* marks) noexcept {
  if (marks == nullptr) return 0;
  const std::uint64_t all =
      std::accumulate(marks->actions.begin(), marks->actions.end(), std::uint64_t{0});
  return all - count_of(marks, finding_action::accepted);
}

}  // namespace

std::string_view label(shape_kind kind) noexcept {
  return labels[kind];
}

shape_kind kind_of(const digest::row& row, const live_digest::view& all) {
  if (routing::kind_of(row.command) == routing::command_kind::get_more)
    return shape_kind::get_more;
  const shape_marks* const marks = all.marks_of(row);
  const bool is_quiet = is_resolved(row, marks, all.now, all.resolved_after);
  const std::uint64_t alarms = alarms_of(marks);
  const bool has_accepted = count_of(marks, finding_action::accepted) != 0;
  if (has_accepted && (alarms == 0 || is_quiet)) return shape_kind::accepted;
  if (alarms == 0 && !digest::is_finding(row)) return shape_kind::other;
  return is_quiet ? shape_kind::resolved : shape_kind::finding;
}

counted_as counted_as_of(const shape_details& details) noexcept {
  const bool is_shared_finding =
      details.scope == shape_scope::other || details.scope == shape_scope::failed;
  if (details.action == finding_action::accepted) return counted_as::accepted;
  if (details.is_finding() || is_shared_finding) return counted_as::finding;
  return !details.is_shared() && details.command == routing::command_kind::get_more
             ? counted_as::get_more
             : counted_as::ordinary;
}

std::uint64_t refused_of(const shape_marks* marks) noexcept {
  return count_of(marks, finding_action::rejected) + count_of(marks, finding_action::throttled);
}

std::vector<const digest::row*> in_shown_order(const live_digest::view& all) {
  std::vector<const digest::row*> rows = all.shapes.ranked();
  std::stable_partition(rows.begin(), rows.end(), [&](const digest::row* row) {
    return refused_of(all.marks_of(*row)) != 0;
  });
  return rows;
}

}  // namespace scattergate::telemetry
