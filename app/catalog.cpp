#include <string>
#include <string_view>

#include "app/catalog_source.hpp"
#include "app/checks/version_check.hpp"
#include "app/subcommands.hpp"
#include "app/terminal.hpp"
#include "config/cluster/cluster_text.hpp"
#include "config/driver/mongo_client.hpp"
#include "config/options/catalog_uri.hpp"
#include "config/text/input.hpp"

namespace scattergate::app {

namespace {

int print_cluster(const config::flags& given) {
  const auto loaded =
      config::load_options(given, config::process_environment(), config::purpose::inspect);
  if (const int status = report(loaded.problems); status != 0) return status;
  const auto uri = config::find_catalog_uri(loaded.value);
  if (!uri) return report({{"mongos", "pass --catalog-uri or set SCATTERGATE_CATALOG_URI"}});
  const auto client = config::mongo_client::open(uri->text, {"scattergate-catalog"});
  if (!client) return report({{"mongos", client.error().text}});
  const auto text = config::cluster_text(**client);
  if (!text) return fail("catalog", {"mongos", text.error().text});
  write_document(*text, text::ci_syntax::json);
  return 0;
}

}  // namespace

int print_catalog(const std::string& source, const config::flags& given) {
  if (source == config::catalog_options::mongos) return print_cluster(given);
  const auto loaded = config::load_catalog(source);
  if (const int status = report(loaded.problems); status != 0) return status;
  warn_of_faults("catalog", *loaded.value);
  static_cast<void>(report(check_version(source, loaded)));
  if (const auto preset = config::preset_name(source)) {
    const std::string_view text = config::preset_text(*preset);
    write_document(std::string{text}, text::ci_syntax::json);
    return 0;
  }
  const auto content = config::read_file(source, config::max_catalog_bytes);
  if (!content) return report({content.error()});
  write_document(*content, text::ci_syntax::json);
  return 0;
}

}  // namespace scattergate::app
