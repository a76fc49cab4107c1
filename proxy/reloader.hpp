#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "proxy/settings.hpp"
#include "proxy/takeover/service_manager.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "text/problem.hpp"

namespace scattergate::proxy {

/// The result of a successful reload.
struct reloaded {
  config::options options;
  std::shared_ptr<const settings> made;
};

/// Reloads the configuration. Rules, catalog, audit interval and log level may change; bound
/// addresses can't. An invalid file leaves the running configuration unchanged. Thread-safety:
/// the control thread.
class reloader {
 public:
  using read_options = std::function<config::loaded_options()>;

  /// Applies the reloaded settings to all workers, then calls `on_used`.
  using user = std::function<void(const reloaded& by, std::function<void()> on_used)>;

  reloader(read_options read, telemetry::daemon_facts& facts,
           telemetry::condition_board& conditions, const service_manager& manager, user use)
      : read_(std::move(read)),
        facts_(facts),
        conditions_(conditions),
        manager_(manager),
        use_(std::move(use)) {}

  /// `running`: the current options. `in_use`: the current catalog, which a live catalog keeps
  /// until it has loaded.
  void reload(const config::options& running,
              const std::shared_ptr<const routing::catalog>& in_use);

 private:
  void refuse(const text::problem& problem);
  void report_ignored(const config::options& loaded, const config::options& running);
  void report_success(std::int64_t rules);

  read_options read_;
  telemetry::daemon_facts& facts_;
  telemetry::condition_board& conditions_;
  const service_manager& manager_;
  user use_;
};

}  // namespace scattergate::proxy
