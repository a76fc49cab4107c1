#include "app/fleet.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "app/subcommands.hpp"
#include "app/terminal.hpp"
#include "config/options/catalog_uri.hpp"
#include "fleet/database.hpp"
#include "fleet/reading.hpp"
#include "text/problem.hpp"

namespace scattergate::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds status_patience{10'000};
constexpr fleet::reading_bounds status_bounds{.sidecars = 50'000,
                                              .read_bytes = std::size_t{64} << 20};

/// Formats an age: "3 s", "5 min", "2 h", "4 d".
std::string age_text(milliseconds age) {
  struct unit {
    std::int64_t seconds;
    const char* name;
  };
  const auto whole = std::max<std::int64_t>(std::chrono::floor<seconds>(age).count(), 0);
  for (const unit one : {unit{86'400, " d"}, unit{3'600, " h"}, unit{60, " min"}}) {
    if (whole >= 2 * one.seconds) return std::to_string(whole / one.seconds) + one.name;
  }
  return std::to_string(whole) + " s";
}

std::string since_text(const std::optional<digest::wall_time>& then, digest::wall_time now) {
  if (!then) return "never";
  return age_text(std::chrono::duration_cast<milliseconds>(now - *then));
}

std::string skew_text(milliseconds skew) {
  return (skew.count() < 0 ? "" : "+") + std::to_string(skew.count()) + " ms";
}

using line = std::vector<std::string>;

line line_of(const fleet::sidecar_status& one, digest::wall_time now) {
  const auto unseen = one.seen_at ? std::chrono::duration_cast<milliseconds>(now - *one.seen_at)
                                  : milliseconds{0};
  return {one.name,
          since_text(one.seen_at, now),
          since_text(one.flushed_at, now),
          one.waiting == 0 ? "0 s" : age_text(one.lag + unseen),
          std::to_string(one.waiting),
          std::to_string(one.dropped),
          skew_text(one.skew),
          one.version,
          one.catalog,
          one.rules.empty() ? "none" : one.rules};
}

/// Prints the lines in columns, each as wide as its longest text.
void print_table(const std::vector<line>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const line& one : lines) {
    for (std::size_t i = 0; i < one.size(); ++i) widths[i] = std::max(widths[i], one[i].size());
  }
  for (const line& one : lines) {
    std::string text;
    for (std::size_t i = 0; i < one.size(); ++i) {
      text += one[i];
      if (i + 1 < one.size()) text.append(widths[i] - one[i].size() + 2, ' ');
    }
    write_line(stdout, text);
  }
}

/// Notes that sidecars judge by different catalogs or rules.
template <typename Member>
void note_difference(const std::vector<fleet::sidecar_status>& all, Member member,
                     const char* what) {
  std::vector<std::string> values;
  for (const auto& one : all) values.push_back(one.*member);
  std::ranges::sort(values);
  const auto same = std::ranges::unique(values);
  const auto count = values.size() - same.size();
  if (count > 1) {
    write_line(stdout,
               "The sidecars have " + std::to_string(count) + " different " + what + ".");
  }
}

int print_status(const fleet::fleet_status& status) {
  if (status.sidecars.empty()) {
    write_line(stdout, "No sidecar has written to this database yet.");
    return 0;
  }
  std::vector<line> lines{{"name", "seen", "last flush", "lag", "waiting", "dropped", "clock",
                           "version", "catalog", "rules"}};
  for (const auto& one : status.sidecars) lines.push_back(line_of(one, status.now));
  print_table(lines);
  for (const auto& one : status.sidecars) {
    if (one.name_holder.empty()) continue;
    write_line(stdout, "The sidecar " + one.uuid + ", seen " +
                           since_text(one.seen_at, status.now) +
                           " ago, flushes nothing: its name, " + one.name + ", is held by " +
                           one.name_holder + ".");
  }
  note_difference(status.sidecars, &fleet::sidecar_status::version, "versions");
  note_difference(status.sidecars, &fleet::sidecar_status::catalog, "catalogs");
  note_difference(status.sidecars, &fleet::sidecar_status::rules, "sets of rules");
  return 0;
}

int show_status(const std::string& uri_file, const std::string& database) {
  if (uri_file.empty())
    return fail("fleet", {"--uri-file", "expected the file of the connection string"});
  const auto uri = config::read_uri_file(uri_file);
  if (!uri) return fail("fleet", {uri_file, uri.error().what});
  auto opened = fleet::database::open(uri->text, database, status_patience);
  if (!opened) return fail("fleet", {uri_file, opened.error().text});
  const auto status = fleet::read_status(**opened, status_bounds);
  if (!status) return fail("fleet", {uri_file, status.error().text});
  const int printed = print_status(*status);
  return status->incomplete ? fail("fleet", {uri_file, status->incomplete->what}) : printed;
}

}  // namespace

int fleet(const fleet_flags& given, const config::flags& configuration) {
  const bool is_init = given.action == "init";
  if (!is_init && given.action != "status")
    return fail("fleet", {given.action, "expected init or status"});
  const auto loaded = config::load_options(configuration, config::process_environment(),
                                           config::purpose::inspect);
  if (configuration.config_file && report(loaded.problems) != 0) return could_not;
  const config::fleet_options& from = loaded.value.fleet;
  const std::string database = given.database.value_or(from.database);
  if (!is_init) return show_status(given.uri_file.value_or(from.uri_file), database);
  write_document(fleet::init_commands(database), text::ci_syntax::json);
  return 0;
}

}  // namespace scattergate::app
