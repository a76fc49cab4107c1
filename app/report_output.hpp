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

/// In which view a report goes where: for `report` and `gate`.
namespace scattergate::app {

enum class format { text, json, html, markdown, csv, sarif, junit, codequality, github };

/// Those that a comparison has.
inline constexpr std::string_view comparison_format_names = "text|json|html|markdown";

inline constexpr std::string_view format_names =
    "text|json|html|markdown|csv|sarif|junit|codequality|github";

[[nodiscard]] std::optional<format> format_named(std::string_view name);

/// The format that a file's name asks for: its extension, `gl-code-quality-report.json`, or the
/// file that GitHub has for a step's summary, to which Markdown is appended.
[[nodiscard]] std::optional<format> format_of_file(const std::string& path);

/// Whether there are views for the format and the files that were asked for. `is_comparison`:
/// of a comparison, which has fewer.
[[nodiscard]] text::result<void> check_views(const std::optional<std::string>& asked,
                                             const std::vector<std::string>& files,
                                             bool is_comparison = false);

/// Writes a view, the largest part by part.
void write_view(std::ostream& to, const report::report_model& model, format as,
                const report::text_style& style);
void write_view(std::ostream& to, const report::compare_model& model, format as,
                const report::text_style& style);

/// How the terminal behind a descriptor looks.
[[nodiscard]] report::text_style style_of_terminal(int descriptor);

/// Writes each file; those that could not be written.
[[nodiscard]] std::vector<std::string> write_files(const report::report_model& model,
                                                   const std::vector<std::string>& paths);
[[nodiscard]] std::vector<std::string> write_files(const report::compare_model& model,
                                                   const std::vector<std::string>& paths);

/// The folder that the program was started in, and, where the catalog is a file in it, that.
void set_places(report::report_model& model, const std::string& catalog);

}  // namespace scattergate::app
