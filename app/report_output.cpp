#include "app/report_output.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "config/catalog_file/namespace_lines.hpp"
#include "report/views/compare_views.hpp"
#include "report/views/report_codequality.hpp"
#include "report/views/report_csv.hpp"
#include "report/views/report_github.hpp"
#include "report/views/report_html.hpp"
#include "report/views/report_json.hpp"
#include "report/views/report_junit.hpp"
#include "report/views/report_markdown.hpp"
#include "report/views/report_sarif.hpp"
#include "report/views/source_place.hpp"
#include "text/ci_commands.hpp"

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
  if (named.filename() == "gl-code-quality-report.json") return format::codequality;
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

bool is_of_comparisons(format one) {
  return one == format::text || one == format::json || one == format::html ||
         one == format::markdown;
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
    if (!named) return text::problem{path, "its name doesn't determine the format"};
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

void set_places(report::report_model& model, const std::string& catalog) {
  std::error_code error;
  model.root = std::filesystem::current_path(error).string();
  if (!std::filesystem::is_regular_file(catalog, error)) return;
  model.anchor = report::path_in_repository(
      std::filesystem::absolute(catalog, error).lexically_normal().string(), model.root);
  if (!model.anchor.empty()) model.anchor_lines = config::namespace_lines(catalog);
}

}  // namespace scattergate::app
