#include "app/self_checks.hpp"

#include <utility>

#include "config/driver/mongo_client.hpp"
#include "config/options/catalog_uri.hpp"

namespace scattergate::app {
namespace {

using client_result = config::mongo_result<std::unique_ptr<config::mongo_reader>>;

/// Connects to mongos. Reads the credentials each time, because they may change.
client_result open(const config::options& options, std::stop_token stop) {
  const auto uri = config::find_self_check_uri(options);
  if (!uri) {
    return config::mongo_error{config::mongo_failure::bad_uri, 0, text::to_string(uri.error())};
  }
  auto opened = config::mongo_client::open(
      uri->text, {.application = "scattergate-self-check", .stop = std::move(stop)});
  if (!opened) return opened.error();
  return client_result{std::unique_ptr<config::mongo_reader>{std::move(*opened)}};
}

}  // namespace

std::unique_ptr<report::self_check> start_self_check(const config::options& options,
                                                     proxy::daemon& of) {
  if (!options.verify.self_check) return nullptr;
  // How long it may take until a live catalog knows about a chunk's move.
  const auto patience =
      options.catalog.is_live() ? 2 * options.catalog.refresh : std::chrono::milliseconds{0};
  return std::make_unique<report::self_check>(report::self_check::parts{
      of.checks(), [&of] { return of.catalog_now(); },
      [options](std::stop_token stop) { return open(options, std::move(stop)); }, patience});
}

}  // namespace scattergate::app
