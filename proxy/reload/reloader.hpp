#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "proxy/reload/file_watch.hpp"
#include "proxy/settings.hpp"
#include "proxy/takeover/systemd.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "text/problem.hpp"

namespace scattergate::proxy {

/// The result of a successful reload.
struct reloaded {
  config::options options;
  std::shared_ptr<const settings> made;  ///< built from `options`
};

/// Reloads the configuration while the daemon runs, on SIGHUP or because its files have changed
/// (the option reload). Most settings take effect, such as rules,
/// catalog and log level. Changes that need a restart, such as other addresses, are ignored and
/// reported. If the new configuration is invalid, the current one stays in use. Thread-safety:
/// the control thread.
class reloader {
 public:
  /// Reads the configuration's files again.
  using read_options = std::function<config::loaded_options()>;

  /// Applies the reloaded settings to all workers. Calls `on_used` on the control thread once
  /// all workers use them.
  using user = std::function<void(const reloaded& by, std::function<void()> on_used)>;

  reloader(read_options read, telemetry::daemon_facts& facts,
           telemetry::condition_board& conditions, const service_manager& manager,
           file_watch& watch, user use)
      : read_(std::move(read)),
        facts_(facts),
        conditions_(conditions),
        manager_(manager),
        watch_(watch),
        use_(std::move(use)) {}

  /// Watches the files of the options in use, if these say so; otherwise stops watching.
  /// `of_catalog`: the files that the catalog's file names.
  void watch_files(const config::options& used, const config::files_read& of_catalog);

  /// Reloads the configuration. Reports problems to the condition board (the daemon's list of
  /// active problems), and the outcome to the service manager. `running`: the current options.
  /// `in_use`: the current catalog. If the new options name a live catalog, which is read from
  /// the cluster, `in_use` stays in use until that catalog has been loaded. `changed`: the
  /// files whose change is the reason, for the log; empty: SIGHUP.
  void reload(const config::options& running,
              const std::shared_ptr<const routing::catalog>& in_use,
              const std::vector<std::string>& changed = {});

 private:
  void refuse(const text::problem& problem, const config::files_read& read);
  void report_ignored(const config::options& loaded, const config::options& running);
  void report_success(std::int64_t rules);

  read_options read_;
  telemetry::daemon_facts& facts_;
  telemetry::condition_board& conditions_;
  const service_manager& manager_;
  file_watch& watch_;
  bool watches_ = false;  ///< the options in use say on_change
  user use_;
};

}  // namespace scattergate::proxy
