#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/compare/shape_changes.hpp"
#include "report/views/report_model.hpp"

namespace scattergate::report {

/// All that a view of a comparison may print: two reports, and what became of their shapes.
struct compare_model {
  const report_model& before;
  const report_model& after;
  const shape_changes& changes;  ///< of what both show
  digest::wall_time generated_at;
  std::optional<std::size_t> top{};  ///< so many shapes of each kind are listed

  /// How many of so many shapes a view lists.
  [[nodiscard]] std::size_t listed_of(std::size_t shapes) const noexcept {
    return std::min(shapes, top.value_or(most_rows_told));
  }
};

/// The kinds of changes that are listed, in that order, and what each is called.
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

/// A sum of both sides: "commands", "1,200", "1,800", "+50.0 %".
struct compared_sum {
  std::string name;
  std::string before;
  std::string after;
  std::string change;  ///< empty where there is nothing to divide by
};
[[nodiscard]] std::vector<compared_sum> sums_of(const compare_model& of);

/// What the sums are: "by hour", or "in all" where a side doesn't say over which time it
/// counts.
[[nodiscard]] std::string basis_text(const compare_model& of);

/// "2 new, 1 gone, 3 worse, 0 better, 30 as before"
[[nodiscard]] std::string counts_text(const compare_model& of);

/// One side in one line: what it counts, and over which time.
[[nodiscard]] std::string side_text(const report_model& of);

/// What limits the comparison, a line each: shapes that a side counts and doesn't list, sides
/// that count different things.
[[nodiscard]] std::vector<std::string> limits_of(const compare_model& of);

/// What a shape's commands add up to on its side, by hour where that is known: "1,200", "6",
/// "4,800", "1.20 s"; "?" where it isn't known.
struct shape_sums {
  std::string commands;
  std::string shards;  ///< on average
  std::string wasted;
  std::string time;
};
[[nodiscard]] shape_sums sums_of(const digest::row& one, double hours);

/// What of a shape became worse or better: "shards 1.0 -> 6.0, commands 1,200 -> 3,400".
[[nodiscard]] std::string change_text(const compare_model& of, const shape_change& one);

}  // namespace scattergate::report
