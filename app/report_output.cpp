#include "app/report_output.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "config/catalog_file/namespace_lines.hpp"
#include "config/text/scalars.hpp"
#include "report/views/ci_findings.hpp"
#include "report/views/ci_reports.hpp"
#include "report/views/compare_views.hpp"
#include "report/views/report_csv.hpp"
#include "report/views/report_html.hpp"
#include "report/views/report_json.hpp"
#include "report/views/report_markdown.hpp"
#include "report/views/source_place.hpp"
#include "text/printable.hpp"

namespace scattergate::app {
namespace {

struct known_format {
  format is;
  std::string_view name;
  std::string_view extension;
};
constexpr std::array<known_format, 9> formats = {{
    {format::text, "text", ".txt"},
    {format::json, "json", ".json"},
    {format::html, "html", ".html"},
    {format::markdown, "markdown", ".md"},
    {format::csv, "csv", ".csv"},
    {format::sarif, "sarif", ".sarif"},
    {format::junit, "junit", ".xml"},
    {format::codequality, "codequality", ""},
    {format::github, "github", ""},
}};

bool is_of_comparisons(format one) {
  return one == format::text || one == format::json || one == format::html ||
         one == format::markdown;
}

constexpr std::string_view code_quality_name = "gl-code-quality-report.json";

/// What the name of an output file can be.
std::string names_of_files(bool is_comparison) {
  std::string text;
  for (const known_format& one : formats) {
    if (is_comparison && !is_of_comparisons(one.is)) continue;
    if (one.extension.empty()) continue;
    text += "NAME" + std::string{one.extension} + " (" + std::string{one.name} + "), ";
  }
  if (!is_comparison) text += std::string{code_quality_name} + " (codequality), ";
  return text + "or the file that GITHUB_STEP_SUMMARY names (markdown)" +
         (is_comparison ? "" : "; github has no file: --format github");
}

bool is_step_summary(const std::string& path) {
  const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
  return summary != nullptr && !path.empty() && path == summary;
}

}  // namespace

std::optional<format> format_named(std::string_view name) {
  for (const known_format& one : formats) {
    if (one.name == name) return one.is;
  }
  return std::nullopt;
}

std::optional<format> format_of_file(const std::string& path) {
  if (is_step_summary(path)) return format::markdown;
  const std::filesystem::path named{path};
  const std::string name = named.filename().string();
  if (name == code_quality_name) return format::codequality;
  if (name.ends_with(".sarif.json")) return format::sarif;
  for (const known_format& one : formats) {
    if (!one.extension.empty() && named.extension() == one.extension) return one.is;
  }
  return std::nullopt;
}

namespace {

std::string rendered(const report::report_model& model, format as,
                     const report::text_style& style) {
  switch (as) {
    case format::text:
      return report::report_text(model, style);
    case format::json:
      return report::report_json(model);
    case format::html:
      return report::report_html(model);
    case format::markdown:
      return report::report_markdown(model);
    case format::csv:
      return report::report_csv(model);
    case format::sarif:
      return report::report_sarif(model);
    case format::junit:
      return report::report_junit(model);
    case format::codequality:
      return report::report_codequality(model);
    case format::github:
      return report::report_github(model);
  }
  return {};
}

}  // namespace

namespace {

/// Breaks CI commands from clients in a view. Every view passes here.
std::string for_ci_log(std::string view, format as) {
  switch (as) {
    case format::json:
    case format::sarif:
    case format::codequality:
      return text::ci_safe(std::move(view), text::ci_syntax::json);
    case format::html:
    case format::junit:
      return text::ci_safe(std::move(view), text::ci_syntax::markup);
    case format::text:
    case format::markdown:
    case format::csv:
      return text::ci_safe(std::move(view), text::ci_syntax::plain);
    case format::github:
      break;
  }
  // Each line is a command of ours.
  return text::ci_safe_part(std::move(view), text::ci_syntax::plain);
}

std::string rendered(const report::compare_model& model, format as,
                     const report::text_style& style) {
  switch (as) {
    case format::json:
      return report::compare_json(model);
    case format::html:
      return report::compare_html(model);
    case format::markdown:
      return report::compare_markdown(model);
    default:
      return report::compare_text(model, style);
  }
}

}  // namespace

text::result<void> check_views(const std::optional<std::string>& asked,
                               const std::vector<std::string>& files, bool is_comparison) {
  const auto names = is_comparison ? comparison_format_names : format_names;
  const auto is_view = [&](const std::optional<format>& one) {
    return one && (!is_comparison || is_of_comparisons(*one));
  };
  if (asked && !is_view(format_named(*asked))) {
    return text::failure("--format: expected one of " + std::string{names} + ", not '" +
                         *asked + "'");
  }
  for (const std::string& path : files) {
    const auto named = format_of_file(path);
    if (!named) {
      return text::problem{
          path, "its name doesn't determine the format: use " + names_of_files(is_comparison)};
    }
    if (!is_view(named)) {
      return text::problem{path, "a comparison's format is one of " + std::string{names}};
    }
  }
  return {};
}

void write_view(std::ostream& to, const report::report_model& model, format as,
                const report::text_style& style) {
  if (as != format::json) {
    to << for_ci_log(rendered(model, as, style), as);
    return;
  }
  report::report_json(
      model, [&](std::string_view part) { to << for_ci_log(std::string{part}, format::json); });
}

void write_view(std::ostream& to, const report::compare_model& model, format as,
                const report::text_style& style) {
  to << for_ci_log(rendered(model, as, style), as);
}

report::text_style style_of_terminal(int descriptor) {
  report::text_style style;
  if (::isatty(descriptor) == 0) return style;
  winsize size{};
  constexpr unsigned least = 60;
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= least) {
    style.width = size.ws_col;
  }
  const char* const no_colour = std::getenv("NO_COLOR");  // https://no-color.org
  style.has_colour = no_colour == nullptr || *no_colour == '\0';
  return style;
}

namespace {

template <typename Model>
std::vector<std::string> written_files(const Model& model,
                                       const std::vector<std::string>& paths) {
  std::vector<std::string> failed;
  for (const std::string& path : paths) {
    const auto mode = is_step_summary(path) ? std::ios::app : std::ios::trunc;
    std::ofstream file{path, std::ios::binary | mode};
    write_view(file, model, format_of_file(path).value_or(format::text), {});
    file.close();
    if (!file) failed.push_back(path);
  }
  return failed;
}

}  // namespace

std::vector<std::string> write_files(const report::report_model& model,
                                     const std::vector<std::string>& paths) {
  return written_files(model, paths);
}

std::vector<std::string> write_files(const report::compare_model& model,
                                     const std::vector<std::string>& paths) {
  return written_files(model, paths);
}

namespace {

namespace fs = std::filesystem;

/// Variables in which CI services name the folder of the repository.
constexpr std::array<const char*, 10> root_variables = {
    "GITHUB_WORKSPACE",        // GitHub Actions, Gitea, Forgejo
    "CI_PROJECT_DIR",          // GitLab
    "BUILD_SOURCESDIRECTORY",  // Azure Pipelines
    "BITBUCKET_CLONE_DIR",     // Bitbucket
    "BUILDKITE_BUILD_CHECKOUT_PATH",
    "CIRCLE_WORKING_DIRECTORY",
    "TRAVIS_BUILD_DIR",
    "CI_WORKSPACE",  // Woodpecker
    "DRONE_WORKSPACE",
    "WORKSPACE",  // Jenkins
};

bool is_in(const fs::path& inner, const fs::path& outer) {
  const auto way = inner.lexically_relative(outer);
  return !way.empty() && *way.begin() != "..";
}

/// An existing path without links and `..`; empty if it doesn't exist.
fs::path real_path(const std::string& path) {
  std::error_code error;
  return fs::canonical(path, error);
}

/// Whether `folder` is the top of a repository. In a submodule, `.git` is a file that names a
/// folder below the repository's own `.git/modules`.
bool is_top(const fs::path& folder) {
  std::error_code error;
  const fs::path mark = folder / ".git";
  if (fs::is_directory(mark, error)) return true;
  if (!fs::is_regular_file(mark, error)) return false;
  std::ifstream file{mark};
  std::string line;
  std::getline(file, line);
  return line.starts_with("gitdir:") && line.find("/modules/") == line.npos;
}

std::optional<fs::path> root_of_service(const fs::path& working) {
  for (const char* const name : root_variables) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value != '/') continue;
    fs::path root = real_path(value);
    if (!root.empty() && is_in(working, root)) return root;
  }
  return std::nullopt;
}

std::optional<fs::path> root_of_git(fs::path folder) {
  while (true) {
    if (is_top(folder)) return folder;
    if (folder == folder.parent_path()) return std::nullopt;
    folder = folder.parent_path();
  }
}

/// The path of a file of the repository. Empty if it isn't one.
std::string file_in(const std::string& root, const std::string& path) {
  std::error_code error;
  const fs::path file = real_path(path);
  if (file.empty() || !fs::is_regular_file(file, error)) return {};
  return is_in(file, root) ? report::path_in_repository(file.string(), root) : std::string{};
}

text::result<report::source_place> place_named(const std::string& text,
                                               const std::string& root) {
  report::source_place made{{}, 1};
  std::string path = text;
  const std::size_t colon = text.rfind(':');
  if (colon != text.npos) {
    const auto line = config::parse_count(text.substr(colon + 1));
    if (line && *line > 0 && *line <= std::numeric_limits<int>::max()) {
      path.resize(colon);
      made.line = static_cast<unsigned>(*line);
    }
  }
  made.path = file_in(root, path);
  if (!made.path.empty()) return made;
  return text::problem{"--default-location", "expected FILE or FILE:LINE, a file below " +
                                                 root + ", not '" + text + "'"};
}

}  // namespace

text::result<known_repository> find_repository(const place_flags& given, bool has_files) {
  known_repository made;
  std::error_code error;
  const fs::path working = fs::current_path(error);
  fs::path root = working;
  const auto of_service = root_of_service(working);
  if (given.root) {
    root = real_path(*given.root);
    if (!fs::is_directory(root, error)) {
      return text::problem{"--root", "not a folder: '" + *given.root + "'"};
    }
  } else if (const auto of_git = root_of_git(working)) {
    root = *of_git;
  } else if (of_service) {
    root = *of_service;
  }
  made.source.root = root.string();
  made.source.has_files = has_files || given.root || of_service;
  if (working != root && is_in(working, root)) {
    made.source.working = working.lexically_relative(root).string();
  }
  if (!given.otherwise) return made;
  auto otherwise = place_named(*given.otherwise, made.source.root);
  if (!otherwise) return otherwise.error();
  made.otherwise_at = *std::move(otherwise);
  return made;
}

void set_places(report::report_model& model, const known_repository& in,
                const std::string& catalog, const std::optional<std::string>& baseline) {
  model.source = in.source;
  model.otherwise_at = in.otherwise_at;
  model.anchor = file_in(in.source.root, catalog);
  if (!model.anchor.empty()) model.anchor_lines = config::namespace_lines(catalog);
  if (model.otherwise_at || !baseline) return;
  if (std::string path = file_in(in.source.root, *baseline); !path.empty()) {
    model.otherwise_at = {std::move(path), 1};
  }
}

std::string note_on_places(const report::report_model& model,
                           const std::optional<std::string>& asked,
                           const std::vector<std::string>& files) {
  const auto has_places = [](const std::optional<format>& one) {
    return one == format::sarif || one == format::codequality || one == format::junit ||
           one == format::github;
  };
  if (!(asked && has_places(format_named(*asked))) &&
      std::ranges::none_of(files,
                           [&](const auto& one) { return has_places(format_of_file(one)); })) {
    return {};
  }
  const auto found = report::findings_of(model);
  const auto unplaced = std::ranges::count_if(
      found, [](const report::ci_finding& one) { return one.at.empty(); });
  if (unplaced == 0) return {};
  return std::to_string(unplaced) + (unplaced == 1 ? " finding points" : " findings point") +
         " to no file of " + model.source.root +
         ": no comment names one, and the catalog isn't a file there; pass --default-location "
         "FILE";
}

}  // namespace scattergate::app
