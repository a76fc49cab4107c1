#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/admin_address.hpp"
#include "app/gate/gate_rules.hpp"
#include "config/options/load.hpp"
#include "proxy/daemon.hpp"
#include "report/sources/digest_builder.hpp"

namespace scattergate::app {

/// The proxy of `scattergate gate`, which runs a command (such as a test suite) behind a proxy
/// and reports scatters. Runs the daemon on threads of its own, without signal handling. Has a
/// temporary folder for the daemon's log and admin socket. Call start() first: all other
/// functions REQUIRE that it succeeded.
class gate_proxy {
 public:
  gate_proxy();
  ~gate_proxy();  ///< stops the daemon if it still runs, and removes the temporary folder
  gate_proxy(const gate_proxy&) = delete;
  gate_proxy& operator=(const gate_proxy&) = delete;

  /// Loads the catalog of these options. Returns its problem if that fails. For the catalog
  /// `mongos`, the daemon reads it later.
  [[nodiscard]] text::result<void> load(const config::catalog_options& catalog);
  /// The rules that the catalog contains. REQUIRES: load() succeeded.
  [[nodiscard]] const std::vector<config::rule>& rules_of_catalog() const noexcept {
    return loaded_.rules;
  }

  /// Starts the daemon with these listeners, and waits until a catalog is loaded. `rules`
  /// decide which findings are accepted. `tests`: the running tests, for the findings; null:
  /// not known. Returns a problem if that fails or takes longer than
  /// `patience`. `admin`: the daemon's admin address; unset: a socket in the temporary folder.
  /// REQUIRES: load() succeeded.
  [[nodiscard]] text::result<void> start(std::vector<config::listener_options> listeners,
                                         const gate_rules& rules,
                                         const std::optional<net::endpoint>& admin,
                                         std::shared_ptr<const telemetry::running_tests> tests,
                                         std::chrono::seconds patience);

  /// The bound addresses of the listeners, in the order of start()'s argument.
  [[nodiscard]] std::vector<net::endpoint> bound() const;
  /// The catalog that the daemon uses now.
  [[nodiscard]] std::shared_ptr<const routing::catalog> catalog() const;

  /// The daemon's admin address.
  [[nodiscard]] const net::endpoint& admin() const noexcept { return admin_; }

  /// Stops the daemon, and then adds its digest (its counts by query shape, with verdicts) to
  /// `to`. Commands in flight have up to 2 s to end; then all connections are closed.
  void stop(report::digest_builder& to);

 private:
  [[nodiscard]] text::result<void> wait_for_catalog(std::chrono::seconds patience) const;

  config::catalog_options catalog_;
  config::loaded_catalog loaded_;
  std::string folder_;
  net::endpoint admin_;
  std::unique_ptr<proxy::daemon> daemon_;
  std::thread runs_;
};

/// Counts from a daemon's metrics.
struct proxy_facts {
  std::uint64_t connections = 0;  ///< accepted connections
  std::uint64_t unread = 0;       ///< messages forwarded without a verdict
  std::uint64_t commands = 0;     ///< commands, with or without a verdict
  std::uint64_t outdated = 0;     ///< commands whose class is unknown, because the live catalog
                                  ///< wasn't read again in time
};
/// Reads the counts from a daemon's admin address.
[[nodiscard]] text::result<proxy_facts> read_proxy_facts(const admin_address& of);

}  // namespace scattergate::app
