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

/// The proxy inside a gate: the daemon, on threads of its own and without signal handling, and
/// a temporary folder for its log and its admin socket.
class gate_proxy {
 public:
  gate_proxy();
  ~gate_proxy();
  gate_proxy(const gate_proxy&) = delete;
  gate_proxy& operator=(const gate_proxy&) = delete;

  /// Starts the daemon with these listeners, and waits until a catalog is loaded, for at most
  /// 15 s. `admin`: its admin address; unset: a socket in the folder.
  [[nodiscard]] text::result<void> start(std::vector<config::listener_options> listeners,
                                         const config::catalog_options& catalog,
                                         const std::optional<net::endpoint>& admin);

  /// The listeners' addresses, in their order.
  [[nodiscard]] std::vector<net::endpoint> bound() const;
  /// The catalog that the daemon uses now.
  [[nodiscard]] std::shared_ptr<const routing::catalog> catalog() const;

  /// What the daemon's metrics have counted.
  struct facts {
    std::uint64_t connections = 0;  ///< accepted
    std::uint64_t unread = 0;       ///< messages forwarded without a verdict
    std::uint64_t on_sharded = 0;   ///< commands on collections that are sharded in the catalog
  };
  /// Reads the facts from the admin address; all 0 if that fails.
  [[nodiscard]] facts read_facts() const;

  /// Stops the daemon: gives commands in flight up to 2 s, then closes all connections. Adds
  /// the judged traffic to `to`.
  void stop(report::digest_builder& to);

 private:
  [[nodiscard]] text::result<void> wait_for_catalog() const;

  std::string folder_;
  net::endpoint admin_;
  std::unique_ptr<proxy::daemon> daemon_;
  std::thread runs_;
};

}  // namespace scattergate::app
