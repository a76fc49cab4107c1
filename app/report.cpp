#include "app/report.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

#include "app/catalog_source.hpp"
#include "app/progress_bar.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/text/problem.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/sources/source.hpp"
#include "report/views/report_html.hpp"
#include "report/views/report_json.hpp"
#include "report/views/report_markdown.hpp"
#include "report/views/report_text.hpp"

namespace scattergate::app {
namespace {

constexpr int could_not = 2;

/// Rows of the digest: beyond it those with the fewest commands make room.
constexpr std::size_t max_rows = 20'000;

volatile std::sig_atomic_t was_interrupted = 0;

int fail(const std::string& why) {
  std::fprintf(stderr, "scattergate report: %s\n", config::printable(why).c_str());
  return could_not;
}

enum class format { text, json, html, markdown };

std::optional<format> format_named(std::string_view name) {
  if (name == "text") return format::text;
  if (name == "json") return format::json;
  if (name == "html") return format::html;
  if (name == "markdown") return format::markdown;
  return std::nullopt;
}

std::optional<format> format_of_file(const std::string& path) {
  const std::string extension = std::filesystem::path{path}.extension();
  if (extension == ".json") return format::json;
  if (extension == ".html") return format::html;
  if (extension == ".md") return format::markdown;
  if (extension == ".txt") return format::text;
  return std::nullopt;
}

/// Files in the order of their names; a folder stands for those in it.
std::vector<std::string> files_of(const std::vector<std::string>& sources) {
  std::vector<std::string> files;
  for (const std::string& one : sources) {
    std::error_code error;
    if (!std::filesystem::is_directory(one, error)) {
      files.push_back(one);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator{one, error}) {
      if (entry.is_regular_file(error)) inside.push_back(entry.path());
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

report::source_facts read_file(const std::string& file, const report_flags& given,
                               report::digest_builder& into) {
  report::source_facts facts;
  facts.name = file;
  into.next_source();
  report::input from{file};
  const auto as = given.as ? report::kind_named(*given.as) : std::nullopt;
  report::source source{from, as};
  progress_bar bar{file};
  if (from.error().empty()) {
    source.read(into, [&](const report::input& at) {
      bar.show(at.bytes_read(), at.size());
      return was_interrupted == 0;
    });
  }
  facts.kind = source.kind();
  facts.bytes = from.bytes_read();
  facts.error = was_interrupted != 0   ? "interrupted"
                : from.error().empty() ? source.error()
                                       : from.error();
  facts.tally = into.of_source();
  return facts;
}

report::text_style style_of_terminal() {
  report::text_style style;
  if (::isatty(STDOUT_FILENO) == 0) return style;
  winsize size{};
  constexpr unsigned least = 60;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= least) {
    style.width = size.ws_col;
  }
  const char* const no_colour = std::getenv("NO_COLOR");  // https://no-color.org
  style.has_colour = no_colour == nullptr || *no_colour == '\0';
  return style;
}

std::string rendered(const report::report_model& model, format as,
                     const report::text_style& style) {
  switch (as) {
    case format::json:
      return report::report_json(model);
    case format::html:
      return report::report_html(model);
    case format::markdown:
      return report::report_markdown(model);
    case format::text:
      break;
  }
  return report::report_text(model, style);
}

bool write_file(const std::string& path, const std::string& content) {
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file << content;
  file.close();
  return static_cast<bool>(file);
}

int write_all(const report::report_model& model, const report_flags& given) {
  int status = 0;
  for (const std::string& path : given.outputs) {
    const format as = format_of_file(path).value_or(format::text);
    if (!write_file(path, rendered(model, as, {}))) status = fail(path + ": can't be written");
  }
  if (given.outputs.empty() || given.format) {
    const format as = given.format ? *format_named(*given.format) : format::text;
    std::cout << rendered(model, as, style_of_terminal());
    std::cout.flush();
    if (!std::cout) status = fail("the report can't be written");
  }
  return status;
}

std::string why_refused(const report_flags& given) {
  if (given.format && !format_named(*given.format)) {
    return "--format: text, json, html or markdown is wanted, not '" + *given.format + "'";
  }
  if (given.as && !report::kind_named(*given.as)) {
    return "--as: not a kind of source: '" + *given.as + "'";
  }
  for (const std::string& path : given.outputs) {
    if (!format_of_file(path)) return path + ": its name doesn't tell the format";
  }
  return {};
}

}  // namespace

int report(const report_flags& given) {
  if (const std::string why = why_refused(given); !why.empty()) return fail(why);
  catalog_source source{given.catalog, given.catalog_uri.value_or(""), "scattergate-report"};
  const auto catalog = source.load();
  if (!catalog) {
    for (const std::string& problem : source.problems()) fail(problem);
    return could_not;
  }
  std::signal(SIGINT, [](int) { was_interrupted = 1; });
  digest::table table{max_rows};
  report::digest_builder builder{catalog, table};
  report::report_model model{table, builder.truth(), {}, {}, given.catalog};
  for (const std::string& file : files_of(given.sources)) {
    model.sources.push_back(read_file(file, given, builder));
    if (was_interrupted != 0) break;
  }
  model.generated_at = std::chrono::system_clock::now();
  int status = write_all(model, given);
  for (const report::source_facts& one : model.sources) {
    if (!one.error.empty()) status = fail(one.name + ": " + one.error);
  }
  return status;
}

}  // namespace scattergate::app
