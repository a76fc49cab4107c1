#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

  /// Starts the daemon with these listeners, and waits until a catalog is loaded. Returns a
  /// problem if that fails or takes more than 15 s. `admin`: the daemon's admin address; unset:
  /// a socket in the temporary folder.
  [[nodiscard]] text::result<void> start(std::vector<config::listener_options> listeners,
                                         const config::catalog_options& catalog,
                                         const std::optional<net::endpoint>& admin);

  /// The bound addresses of the listeners, in the order of start()'s argument.
  [[nodiscard]] std::vector<net::endpoint> bound() const;
  /// The catalog that the daemon uses now.
  [[nodiscard]] std::shared_ptr<const routing::catalog> catalog() const;

  /// Counts from the daemon's metrics.
  struct facts {
    std::uint64_t connections = 0;  ///< accepted connections
    std::uint64_t unread = 0;       ///< messages forwarded without a verdict
    std::uint64_t on_sharded = 0;   ///< commands on collections that are sharded in the catalog
  };
  /// Reads the counts from the daemon's admin address; all 0 if that fails.
  [[nodiscard]] facts read_facts() const;

  /// Stops the daemon, and then adds its digest (its counts by query shape, with verdicts) to
  /// `to`. Commands in flight have up to 2 s to end; then all connections are closed.
  void stop(report::digest_builder& to);

 private:
  [[nodiscard]] text::result<void> wait_for_catalog() const;

  std::string folder_;
  net::endpoint admin_;
  std::unique_ptr<proxy::daemon> daemon_;
  std::thread runs_;
};

}  // namespace scattergate::app
