#include "proxy/reload/reloader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/options/options_check.hpp"
#include "telemetry/log/log.hpp"
#include "text/problem.hpp"

namespace scattergate::proxy {
namespace {

namespace log = telemetry::log;
using log::component;
using log::severity;

void log_changed(const std::vector<std::string>& files) {
  constexpr std::size_t most_shown = 10;
  std::string shown;
  for (std::size_t i = 0; i < std::min(files.size(), most_shown); ++i) {
    shown += (shown.empty() ? "" : ", ") + files[i];
  }
  if (files.size() > most_shown) shown += ", ...";
  log::write(severity::info, component::config, 3007,
             "Files have changed; the configuration is reloaded",
             {{"files", shown}, {"count", static_cast<std::int64_t>(files.size())}});
}

}  // namespace

void reloader::watch_files(const config::options& used, const config::files_read& of_catalog) {
  watches_ = used.reload == config::reload_choice::on_change;
  config::files_read files;
  if (watches_) files = used.file.read;
  if (watches_) files.insert(files.end(), of_catalog.begin(), of_catalog.end());
  watch_.follow(std::move(files));
}

void reloader::reload(const config::options& running,
                      const std::shared_ptr<const routing::catalog>& in_use,
                      const std::vector<std::string>& changed) {
  if (!changed.empty()) log_changed(changed);
  facts_.config_reloads.fetch_add(1);
  manager_.notify_reloading();
  auto loaded = read_();
  config::files_read& files = loaded.value.file.read;
  if (!loaded.problems.empty()) return refuse(loaded.problems.front(), files);
  auto catalog = config::load_catalog(loaded.value.catalog.source);
  if (!catalog.problems.empty()) {
    facts_.catalog_load_failures.fetch_add(1);
    files.insert(files.end(), catalog.files.begin(), catalog.files.end());
    return refuse(catalog.problems.front(), files);
  }
  report_ignored(loaded.value, running);
  if (!has_same_addresses(loaded.value, running)) loaded.value.listeners = running.listeners;
  if (loaded.value.catalog.is_live()) catalog.value = in_use;
  auto made = make_settings(loaded.value, catalog);
  if (!made) return refuse({"configuration", to_string(made.error())}, files);
  watch_files(loaded.value, catalog.files);
  reloaded by{std::move(loaded.value), *std::move(made)};
  use_(by, [this, rules = static_cast<std::int64_t>(by.options.rules.size())] {
    report_success(rules);
  });
}

/// Reports each changed setting that takes effect only at a restart, as a condition.
void reloader::report_ignored(const config::options& loaded, const config::options& running) {
  using enum telemetry::condition_kind;
  std::vector<std::string> names;
  for (const config::ignored_setting& each : config::ignored_by_reload(loaded, running)) {
    conditions_.hold(settings_ignored, each.name, each.why);
    names.push_back(each.name);
  }
  conditions_.clear_all_but(settings_ignored, {names.begin(), names.end()});
}

void reloader::report_success(std::int64_t rules) {
  facts_.config_last_reload_successful = 1;
  conditions_.clear_all_but(telemetry::condition_kind::reload_failed, {});
  const auto collections = static_cast<std::int64_t>(facts_.catalog_collections.load());
  log::write(severity::info, component::config, 3001, "Configuration reloaded",
             {{"collections", collections}, {"rules", rules}});
  manager_.notify_ready("Configuration reloaded");
}

/// Also watches the files that the new configuration names, because a change in one of them may
/// solve the problem.
void reloader::refuse(const text::problem& problem, const config::files_read& read) {
  if (watches_) watch_.add(read);
  facts_.config_reload_failures.fetch_add(1);
  facts_.config_last_reload_successful = 0;
  conditions_.raise(telemetry::condition_kind::reload_failed, "configuration",
                    to_string(problem));
  manager_.notify_ready("Configuration not reloaded: " + to_string(problem));
}

}  // namespace scattergate::proxy
