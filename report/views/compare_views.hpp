#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/compare/shape_changes.hpp"
#include "report/views/report_model.hpp"
#include "report/views/report_text.hpp"

/// Views of a comparison of two reports.

namespace scattergate::report {

/// The data for the views of a comparison: two reports and the changes of their shapes
/// (commands without their values). All references must outlive the model.
struct compare_model {
  const report_model& before;
  const report_model& after;
  const shape_changes& changes;    ///< between the tables that the two reports show
  digest::wall_time generated_at;  ///< when the comparison was made
  /// The maximum number of listed shapes of each kind; std::nullopt: default_rows in text and
  /// Markdown, no limit elsewhere.
  std::optional<std::size_t> top{};

  /// The number of shapes that a text or Markdown view lists if there are `shapes`.
  [[nodiscard]] std::size_t listed_of(std::size_t shapes) const noexcept {
    return std::min(shapes, top.value_or(default_rows));
  }
};

/// A kind of change that views list, with its heading.
struct listed_change {
  change kind;
  const char* title;
};
/// The kinds of changes that views list, in order.
inline constexpr std::array<listed_change, 4> listed_changes = {{
    {change::is_new, "New"},
    {change::worse, "Worse"},
    {change::gone, "Gone"},
    {change::better, "Better"},
}};

/// A sum in both reports: "commands", "1,200", "1,800", "+50.0 %".
struct compared_sum {
  std::string name;
  std::string before;
  std::string after;
  std::string change;  ///< empty if the value before is zero
};
/// The sums of both reports, per hour or in total; see basis_text().
[[nodiscard]] std::vector<compared_sum> sums_of(const compare_model& of);

/// The basis of the sums: "by hour", or "in all" if a report's period is unknown.
[[nodiscard]] std::string basis_text(const compare_model& of);

/// The number of shapes by change: "2 new, 1 gone, 3 worse, 0 better, 30 as before".
[[nodiscard]] std::string counts_text(const compare_model& of);

/// One of the two reports in one line: its number of commands or shard requests, and its
/// period.
[[nodiscard]] std::string side_text(const report_model& of);

/// The limits of the comparison, one line each: shapes that a report counts but doesn't list,
/// or reports that count different things.
[[nodiscard]] std::vector<std::string> limits_of(const compare_model& of);

/// The sums of a shape's commands in one report, as texts: "1,200", "6.0", "4,800", "1.20 s".
struct shape_sums {
  std::string commands;
  std::string shards;  ///< average number of shards that a command asked; "?": unknown
  std::string wasted;  ///< requests to shards beyond the first of each command; "?": unknown
  std::string time;    ///< total duration; "-": unknown
};
/// The sums of a row's commands, divided by `hours`; the average number of shards isn't
/// divided.
[[nodiscard]] shape_sums sums_of(const digest::row& one, double hours);

/// The aspects of a shape that became worse or better: "shards 1.0 -> 6.0, commands 1,200 ->
/// 3,400". Empty if no aspect did.
[[nodiscard]] std::string change_text(const compare_model& of, const shape_change& one);

/// The comparison as text for a terminal.
[[nodiscard]] std::string compare_text(const compare_model& of, const text_style& style);
/// The comparison as Markdown, for a ticket or a pull request.
[[nodiscard]] std::string compare_markdown(const compare_model& of);

/// The comparison as one HTML page in the style of report_html(), at most max_html_bytes.
[[nodiscard]] std::string compare_html(const compare_model& of);

/// The comparison as one line of JSON (docs/comparison.schema.json).
[[nodiscard]] std::string compare_json(const compare_model& of);

}  // namespace scattergate::report
