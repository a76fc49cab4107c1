#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "app/checks/certificate_check.hpp"
#include "app/checks/connect_check.hpp"
#include "app/checks/start_check.hpp"
#include "app/checks/version_check.hpp"
#include "app/subcommands.hpp"
#include "app/terminal.hpp"
#include "config/options/page_access.hpp"
#include "config/options/rule_check.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::app {
namespace {

using wall_clock = std::chrono::system_clock;

void add(std::vector<text::problem>& to, std::vector<text::problem> further) {
  std::move(further.begin(), further.end(), std::back_inserter(to));
}

std::vector<text::problem> rule_warnings(const config::loaded_options& loaded,
                                         const config::loaded_catalog& catalog,
                                         wall_clock::time_point now) {
  auto rules = loaded.value.rules;
  rules.insert(rules.end(), catalog.rules.begin(), catalog.rules.end());
  const bool is_known = !loaded.value.catalog.is_live();
  return config::check_rules(rules, text::day_of(now),
                             is_known ? catalog.value.get() : nullptr);
}

/// Inspection is off, although rules reject or throttle.
std::vector<text::problem> unapplied_rules(const config::loaded_options& loaded,
                                           const config::loaded_catalog& catalog) {
  const auto refuses = [](const config::rule& each) {
    return !each.dry_run && (each.action == config::rule_action::reject ||
                             each.action == config::rule_action::throttle);
  };
  const auto count = std::ranges::count_if(loaded.value.rules, refuses) +
                     std::ranges::count_if(catalog.rules, refuses);
  if (loaded.value.inspect || count == 0) return {};
  return {{loaded.from.of("inspect"), "warning: inspect is off: no rule applies, and " +
                                          std::to_string(count) +
                                          " of them would reject or throttle"}};
}

std::vector<text::problem> closed_page(const config::loaded_options& loaded) {
  const config::page_door door = config::page_door_of(loaded.value);
  if (door.access != config::page_access::unreachable) return {};
  return {{loaded.from.of(door.setting), "warning: " + to_string(door.at) +
                                             " refuses the page for everyone; " +
                                             config::advice_for_page()}};
}

}  // namespace

int report(const std::vector<text::problem>& problems) {
  for (const text::problem& one : problems) {
    write_line(stderr, to_string(one));
  }
  return problems.empty() ? 0 : 1;
}

int check(const config::flags& given, bool connects) {
  auto loaded = config::load_options(given, config::process_environment());
  const auto now = wall_clock::now();
  std::vector<text::problem> warnings;
  if (loaded.problems.empty()) {
    loaded.problems = check_start(loaded);
    certificate_dates dates = check_certificate_dates(loaded, now);
    add(loaded.problems, std::move(dates.problems));
    warnings = std::move(dates.warnings);
  }
  auto catalog = config::load_catalog(loaded.value.catalog.source);
  if (catalog.value) {
    for (const auto& one : catalog.value->faults()) catalog.problems.push_back(as_problem(one));
  }
  const int options_status = report(loaded.problems);
  const int catalog_status = report(catalog.problems);
  if (options_status != 0 || catalog_status != 0) return 1;
  add(warnings, rule_warnings(loaded, catalog, now));
  add(warnings, unapplied_rules(loaded, catalog));
  add(warnings, check_version(loaded.value.catalog.source, catalog));
  if (!connects) add(warnings, closed_page(loaded));  // otherwise a step reports it
  static_cast<void>(report(warnings));                // warnings don't prevent a start
  const std::string& file = loaded.value.file.name;
  const std::string which = file.empty() ? "" : " '" + file + "'";
  write_line(stdout, "configuration" + which + " OK");
  return connects ? check_connections(loaded) : 0;
}

}  // namespace scattergate::app
