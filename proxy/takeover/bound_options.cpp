#include "proxy/takeover/bound_options.hpp"

#include <algorithm>

#include "telemetry/log/log.hpp"

namespace scattergate::proxy {

void keep_what_is_bound(config::options& loaded, const config::options& running) {
  const auto has_same_addresses = [](const config::listener_options& a,
                                     const config::listener_options& b) {
    return a.listen == b.listen && a.upstream == b.upstream;
  };
  const bool has_same_listeners =
      std::equal(loaded.listeners.begin(), loaded.listeners.end(), running.listeners.begin(),
                 running.listeners.end(), has_same_addresses);
  if (!has_same_listeners || loaded.admin != running.admin ||
      loaded.handover != running.handover || loaded.verify != running.verify ||
      loaded.failover != running.failover ||
      config::effective_threads(loaded) != config::effective_threads(running)) {
    telemetry::log::write(
        telemetry::log::severity::warning, telemetry::log::component::config, 3003,
        "Addresses, threads, failover, handover and verify change only at a restart");
  }
  if (!has_same_listeners) loaded.listeners = running.listeners;
}

}  // namespace scattergate::proxy
