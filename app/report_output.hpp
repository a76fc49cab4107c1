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

/// Formats and destinations of a report's views, for `report` and `gate`.
namespace scattergate::app {

enum class format { text, json, html, markdown, csv, sarif, junit, codequality, github };

/// The formats of a comparison.
inline constexpr std::string_view comparison_format_names = "text|json|html|markdown";

inline constexpr std::string_view format_names =
    "text|json|html|markdown|csv|sarif|junit|codequality|github";

[[nodiscard]] std::optional<format> format_named(std::string_view name);

/// The format for a file name: by its extension, for `gl-code-quality-report.json`, or for
/// GitHub's step summary, to which Markdown is appended.
[[nodiscard]] std::optional<format> format_of_file(const std::string& path);

/// Whether the requested format and files have views. `is_comparison`: for a comparison, which
/// has fewer.
[[nodiscard]] text::result<void> check_views(const std::optional<std::string>& asked,
                                             const std::vector<std::string>& files,
                                             bool is_comparison = false);

/// Writes a view, the largest part by part.
void write_view(std::ostream& to, const report::report_model& model, format as,
                const report::text_style& style);
void write_view(std::ostream& to, const report::compare_model& model, format as,
                const report::text_style& style);

/// The text style for the terminal behind a descriptor.
[[nodiscard]] report::text_style style_of_terminal(int descriptor);

/// Writes each file; returns those that could not be written.
[[nodiscard]] std::vector<std::string> write_files(const report::report_model& model,
                                                   const std::vector<std::string>& paths);
[[nodiscard]] std::vector<std::string> write_files(const report::compare_model& model,
                                                   const std::vector<std::string>& paths);

/// Sets the folder that the program was started in and, if the catalog is a file in it, the
/// catalog's path.
void set_places(report::report_model& model, const std::string& catalog);

}  // namespace scattergate::app
