#include <cstdio>

#include "app/subcommands.hpp"

namespace scattergate::app {

int show_config(const config::flags& given) {
  const auto loaded =
      config::load_options(given, config::process_environment(), config::purpose::inspect);
  std::fputs(to_yaml(loaded.value).c_str(), stdout);
  return report(loaded.problems);
}

}  // namespace scattergate::app
