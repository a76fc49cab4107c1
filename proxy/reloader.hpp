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

/// What a reload puts into force.
struct reloaded {
  config::options options;
  std::shared_ptr<const settings> made;
};

/// Reloads the configuration: rules, catalog, audit interval and log level may change, bound
/// addresses don't. An invalid file leaves the previous configuration in force.
class reloader {
 public:
  using read_options = std::function<config::loaded_options()>;

  /// Makes all workers use what was reloaded, then calls `on_used`.
  using user = std::function<void(const reloaded& by, std::function<void()> on_used)>;

  reloader(read_options read, telemetry::daemon_facts& facts,
           telemetry::condition_board& conditions, const service_manager& manager, user use)
      : read_(std::move(read)),
        facts_(facts),
        conditions_(conditions),
        manager_(manager),
        use_(std::move(use)) {}

  /// `running`: the options in force. A live catalog keeps `in_use` until it has been read.
  void reload(const config::options& running,
              const std::shared_ptr<const routing::catalog>& in_use);

 private:
  void refuse(const text::problem& problem);
  void tell_ignored(const config::options& loaded, const config::options& running);
  void tell_success(std::int64_t rules);

  read_options read_;
  telemetry::daemon_facts& facts_;
  telemetry::condition_board& conditions_;
  const service_manager& manager_;
  user use_;
};

}  // namespace scattergate::proxy
