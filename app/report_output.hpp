#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/views/compare_views.hpp"
#include "report/views/report_model.hpp"
#include "report/views/report_text.hpp"
#include "text/problem.hpp"

/// Writes a report to files or the terminal, in one of several formats, for `report` and
/// `gate`. A comparison is the result of `report --compare`: two sources side by side.
namespace scattergate::app {

/// The formats of a report.
enum class format { text, json, html, markdown, csv, sarif, junit, codequality, github };

/// The names of the formats of a comparison, as help shows them.
inline constexpr std::string_view comparison_format_names = "text|json|html|markdown";

/// The names of the formats of a report, as help shows them.
inline constexpr std::string_view format_names =
    "text|json|html|markdown|csv|sarif|junit|codequality|github";

/// The format of a report with this name; std::nullopt if there is none.
[[nodiscard]] std::optional<format> format_named(std::string_view name);

/// The format for an output file: codequality for `gl-code-quality-report.json`, markdown for
/// the file that GITHUB_STEP_SUMMARY names, otherwise by the extension. std::nullopt if the
/// extension is unknown.
[[nodiscard]] std::optional<format> format_of_file(const std::string& path);

/// Checks the format names before anything is read. Returns a problem if `asked` (the value of
/// --format) or the name of a file in `files` stands for no known format. `is_comparison`:
/// accept only the formats of a comparison.
[[nodiscard]] text::result<void> check_views(const std::optional<std::string>& asked,
                                             const std::vector<std::string>& files,
                                             bool is_comparison = false);

/// Writes a report in the format `as`.
void write_view(std::ostream& to, const report::report_model& model, format as,
                const report::text_style& style);
/// Writes a comparison in the format `as`.
void write_view(std::ostream& to, const report::compare_model& model, format as,
                const report::text_style& style);

/// The text style (width and colours) for the terminal behind a descriptor. If the descriptor
/// isn't a terminal: the default style.
[[nodiscard]] report::text_style style_of_terminal(int descriptor);

/// Writes the report to each file, in the format that format_of_file() returns. If the file is
/// GitHub's step summary, appends to it. Returns the paths of files that can't be written.
[[nodiscard]] std::vector<std::string> write_files(const report::report_model& model,
                                                   const std::vector<std::string>& paths);
/// Writes the comparison to each file, in the format that format_of_file() returns. If the file
/// is GitHub's step summary, appends to it. Returns the paths of files that can't be written.
[[nodiscard]] std::vector<std::string> write_files(const report::compare_model& model,
                                                   const std::vector<std::string>& paths);

/// The flags about places in the repository, of `report` and `gate`.
struct place_flags {
  std::optional<std::string> root;       ///< --root; unset: found
  std::optional<std::string> otherwise;  ///< --default-location: FILE or FILE:LINE
};

/// The repository in which formats that code hosts show next to code look for places.
struct known_repository {
  report::repository source;
  std::optional<report::source_place> otherwise_at;  ///< from place_flags::otherwise
};

/// Finds the repository of the working directory, and checks the flags. Its root is, in this
/// order: --root; the nearest folder with `.git` that isn't a submodule; the folder that a
/// variable of a CI service names, such as GITHUB_WORKSPACE, if the working directory is in it;
/// the working directory. `has_files`: the commands were sent by files of this repository.
/// Without `has_files`, the files count only if --root or a CI service names the root.
[[nodiscard]] text::result<known_repository> find_repository(const place_flags& given,
                                                             bool has_files);

/// Prepares `model` for the formats that code hosts show next to code, so that findings can
/// point to files of the repository. If `catalog` is a file of the repository, findings without
/// another place point to the lines of their namespaces; otherwise to
/// known_repository::otherwise_at, or to the first line of the file `baseline`.
void set_places(report::report_model& model, const known_repository& in,
                const std::string& catalog, const std::optional<std::string>& baseline);

/// If a format with places was asked for (by --format or a file's name), and findings have
/// none: a line that says how many, and what to do. Otherwise empty.
[[nodiscard]] std::string note_on_places(const report::report_model& model,
                                         const std::optional<std::string>& asked,
                                         const std::vector<std::string>& files);

}  // namespace scattergate::app
