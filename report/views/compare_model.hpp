#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/compare/shape_changes.hpp"
#include "report/views/report_model.hpp"

namespace scattergate::report {

/// The data of a comparison's views: two reports and the changes of their shapes.
struct compare_model {
  const report_model& before;
  const report_model& after;
  const shape_changes& changes;  ///< of the tables that both reports show
  digest::wall_time generated_at;
  std::optional<std::size_t> top{};  ///< limit for the listed shapes of each kind

  /// The number of `shapes` that a view lists.
  [[nodiscard]] std::size_t listed_of(std::size_t shapes) const noexcept {
    return std::min(shapes, top.value_or(default_rows));
  }
};

/// The listed kinds of changes, in order, with their names.
struct listed_change {
  change kind;
  const char* title;
};
inline constexpr std::array<listed_change, 4> listed_changes = {{
    {change::is_new, "New"},
    {change::worse, "Worse"},
    {change::gone, "Gone"},
    {change::better, "Better"},
}};

/// A sum on both sides: "commands", "1,200", "1,800", "+50.0 %".
struct compared_sum {
  std::string name;
  std::string before;
  std::string after;
  std::string change;  ///< empty if the first value is zero
};
[[nodiscard]] std::vector<compared_sum> sums_of(const compare_model& of);

/// The basis of the sums: "by hour", or "in all" if a side's period is unknown.
[[nodiscard]] std::string basis_text(const compare_model& of);

/// "2 new, 1 gone, 3 worse, 0 better, 30 as before"
[[nodiscard]] std::string counts_text(const compare_model& of);

/// One side in one line: what it counts, and its period.
[[nodiscard]] std::string side_text(const report_model& of);

/// The limits of the comparison, a line each: shapes that a side counts but doesn't list, sides
/// that count different things.
[[nodiscard]] std::vector<std::string> limits_of(const compare_model& of);

/// The sums of a shape's commands on one side, per hour if known: "1,200", "6", "4,800", "1.20
/// s"; "?" if unknown.
struct shape_sums {
  std::string commands;
  std::string shards;  ///< average
  std::string wasted;
  std::string time;
};
[[nodiscard]] shape_sums sums_of(const digest::row& one, double hours);

/// The aspects of a shape that became worse or better: "shards 1.0 -> 6.0, commands 1,200 ->
/// 3,400".
[[nodiscard]] std::string change_text(const compare_model& of, const shape_change& one);

}  // namespace scattergate::report
