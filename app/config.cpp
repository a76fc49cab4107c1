#include "app/subcommands.hpp"
#include "app/terminal.hpp"

namespace scattergate::app {

int show_config(const config::flags& given) {
  const auto loaded =
      config::load_options(given, config::process_environment(), config::purpose::inspect);
  write_document(to_yaml(loaded.value), text::ci_syntax::json);
  return report(loaded.problems);
}

}  // namespace scattergate::app
