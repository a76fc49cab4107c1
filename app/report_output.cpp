#include "app/report_output.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/ioctl.h>
#include <unistd.h>

#include "config/catalog_file/namespace_lines.hpp"
#include "report/views/report_codequality.hpp"
#include "report/views/report_github.hpp"
#include "report/views/report_html.hpp"
#include "report/views/report_json.hpp"
#include "report/views/report_junit.hpp"
#include "report/views/report_markdown.hpp"
#include "report/views/report_sarif.hpp"
#include "report/views/source_place.hpp"

namespace scattergate::app {
namespace {

struct known_format {
  format is;
  std::string_view name;
  std::string_view extension;
};
constexpr std::array<known_format, 8> formats = {{
    {format::text, "text", ".txt"},
    {format::json, "json", ".json"},
    {format::html, "html", ".html"},
    {format::markdown, "markdown", ".md"},
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

std::string why_no_view(const std::optional<std::string>& asked,
                        const std::vector<std::string>& files) {
  if (asked && !format_named(*asked)) {
    return "--format: one of " + std::string{format_names} + " is wanted, not '" + *asked + "'";
  }
  for (const std::string& path : files) {
    if (!format_of_file(path)) return path + ": its name doesn't tell the format";
  }
  return {};
}

void write_view(std::ostream& to, const report::report_model& model, format as,
                const report::text_style& style) {
  if (as == format::json) {
    report::report_json(model, [&](std::string_view part) { to << part; });
  } else {
    to << rendered(model, as, style);
  }
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

std::vector<std::string> write_files(const report::report_model& model,
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

void set_places(report::report_model& model, const std::string& catalog) {
  std::error_code error;
  model.root = std::filesystem::current_path(error).string();
  if (!std::filesystem::is_regular_file(catalog, error)) return;
  model.anchor = report::path_in_repository(
      std::filesystem::absolute(catalog, error).lexically_normal().string(), model.root);
  if (!model.anchor.empty()) model.anchor_lines = config::namespace_lines(catalog);
}

}  // namespace scattergate::app
