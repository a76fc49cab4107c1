#include <cstdio>

#include "app/subcommands.hpp"

namespace scattergate::app {

int report(const std::vector<config::problem>& problems) {
  for (const config::problem& one : problems) {
    std::fprintf(stderr, "%s\n", to_string(one).c_str());
  }
  return problems.empty() ? 0 : 1;
}

int check(const config::flags& given) {
  const auto loaded =
      config::load_options(given, config::process_environment(), config::purpose::look);
  const auto catalog = config::load_catalog(loaded.value.catalog.source);
  const int options_status = report(loaded.problems);
  const int catalog_status = report(catalog.problems);
  if (options_status != 0 || catalog_status != 0) return 1;
  std::printf("configuration '%s' OK\n", given.config_file.value_or("").c_str());
  return 0;
}

}  // namespace scattergate::app
