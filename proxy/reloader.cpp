#include "proxy/reloader.hpp"

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "proxy/takeover/bound_options.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace log = telemetry::log;
using log::component;
using log::severity;

}  // namespace

void reloader::reload(const config::options& running,
                      const std::shared_ptr<const routing::catalog>& in_use) {
  facts_.config_reloads.fetch_add(1);
  manager_.tell_reloading();
  auto loaded = read_();
  if (!loaded.problems.empty()) return refuse(loaded.problems.front());
  auto catalog = config::load_catalog(loaded.value.catalog.source);
  if (!catalog.problems.empty()) {
    facts_.catalog_load_failures.fetch_add(1);
    return refuse(catalog.problems.front());
  }
  keep_what_is_bound(loaded.value, running);
  if (loaded.value.catalog.is_live()) catalog.value = in_use;
  reloaded by{std::move(loaded.value), nullptr};
  try {
    by.made = make_settings(by.options, catalog);
  } catch (const std::runtime_error& unusable) {
    return refuse({"listeners", unusable.what()});
  }
  use_(by, [this, rules = static_cast<std::int64_t>(by.options.rules.size())] {
    tell_success(rules);
  });
}

void reloader::tell_success(std::int64_t rules) {
  const auto collections = static_cast<std::int64_t>(facts_.catalog_collections.load());
  log::write(severity::info, component::config, 3001, "Configuration reloaded",
             {{"collections", collections}, {"rules", rules}});
  manager_.tell_ready("Configuration reloaded");
}

void reloader::refuse(const config::problem& problem) {
  facts_.config_reload_failures.fetch_add(1);
  log::write(severity::error, component::config, 3002,
             "Configuration not reloaded, the old one stays",
             {{"problem", to_string(problem)}});
  manager_.tell_ready("Configuration not reloaded: " + to_string(problem));
}

}  // namespace scattergate::proxy
