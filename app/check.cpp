#include <chrono>
#include <cstdio>

#include "app/start_check.hpp"
#include "app/subcommands.hpp"
#include "config/options/rule_check.hpp"

namespace scattergate::app {

int report(const std::vector<config::problem>& problems) {
  for (const config::problem& one : problems) {
    std::fprintf(stderr, "%s\n", to_string(one).c_str());
  }
  return problems.empty() ? 0 : 1;
}

int check(const config::flags& given) {
  auto loaded = config::load_options(given, config::process_environment());
  if (loaded.problems.empty()) loaded.problems = check_start(loaded);
  const auto catalog = config::load_catalog(loaded.value.catalog.source);
  const int options_status = report(loaded.problems);
  const int catalog_status = report(catalog.problems);
  if (options_status != 0 || catalog_status != 0) return 1;
  auto rules = loaded.value.rules;
  rules.insert(rules.end(), catalog.rules.begin(), catalog.rules.end());
  const auto today = config::day_of(std::chrono::system_clock::now());
  const bool is_known = !loaded.value.catalog.is_live();
  // Nothing that stops a start.
  static_cast<void>(
      report(config::check_rules(rules, today, is_known ? catalog.value.get() : nullptr)));
  std::printf("configuration '%s' OK\n", given.config_file.value_or("").c_str());
  return 0;
}

}  // namespace scattergate::app
