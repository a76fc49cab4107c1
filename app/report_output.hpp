#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/views/compare_model.hpp"
#include "report/views/report_model.hpp"
#include "report/views/report_text.hpp"
#include "text/problem.hpp"

/// The formats of a report, and writing a report to files or the terminal, for `report` and
/// `gate`.
namespace scattergate::app {

/// The formats of a report.
enum class format { text, json, html, markdown, csv, sarif, junit, codequality, github };

/// The formats of a comparison, by name.
inline constexpr std::string_view comparison_format_names = "text|json|html|markdown";

/// The formats of a report, by name.
inline constexpr std::string_view format_names =
    "text|json|html|markdown|csv|sarif|junit|codequality|github";

/// The format named `name`; std::nullopt if there is none.
[[nodiscard]] std::optional<format> format_named(std::string_view name);

/// The format for an output file: codequality for `gl-code-quality-report.json`, markdown for
/// the file that GITHUB_STEP_SUMMARY names, otherwise by the extension. std::nullopt if the
/// extension is unknown.
[[nodiscard]] std::optional<format> format_of_file(const std::string& path);

/// Checks that --format and the names of the output files stand for known formats.
/// `is_comparison`: whether to accept only the formats of a comparison.
[[nodiscard]] text::result<void> check_views(const std::optional<std::string>& asked,
                                             const std::vector<std::string>& files,
                                             bool is_comparison = false);

/// Writes a report in the format `as`.
void write_view(std::ostream& to, const report::report_model& model, format as,
                const report::text_style& style);
/// Writes a comparison in the format `as`.
void write_view(std::ostream& to, const report::compare_model& model, format as,
                const report::text_style& style);

/// The text style for the terminal behind a descriptor. If the descriptor isn't a terminal:
/// the default style.
[[nodiscard]] report::text_style style_of_terminal(int descriptor);

/// Writes the report to each file, in the format that format_of_file() returns; appends to
/// GitHub's step summary. Returns the paths of files that could not be written.
[[nodiscard]] std::vector<std::string> write_files(const report::report_model& model,
                                                   const std::vector<std::string>& paths);
/// Writes the comparison to each file, in the format that format_of_file() returns; appends to
/// GitHub's step summary. Returns the paths of files that could not be written.
[[nodiscard]] std::vector<std::string> write_files(const report::compare_model& model,
                                                   const std::vector<std::string>& paths);

/// Sets the places in the repository to which findings refer: in `model`, sets `root` to the
/// current folder and, if `catalog` is a file below that folder, `anchor` and `anchor_lines`.
void set_places(report::report_model& model, const std::string& catalog);

}  // namespace scattergate::app
