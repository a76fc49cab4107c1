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

/// The proxy inside a gate: the daemon on threads of its own, which answers to no signal, and a
/// folder for what it writes.
class gate_proxy {
 public:
  gate_proxy();
  ~gate_proxy();
  gate_proxy(const gate_proxy&) = delete;
  gate_proxy& operator=(const gate_proxy&) = delete;

  /// Starts it for these listeners, and waits until there is a catalog.
  [[nodiscard]] text::result<void> start(std::vector<config::listener_options> listeners,
                                         const config::catalog_options& catalog,
                                         const std::optional<net::endpoint>& admin);

  [[nodiscard]] std::vector<net::endpoint> bound() const;
  [[nodiscard]] std::shared_ptr<const routing::catalog> catalog() const;

  struct facts {
    std::uint64_t connections = 0;  ///< that it has accepted
    std::uint64_t unread = 0;       ///< messages that went on unjudged
    std::uint64_t on_sharded = 0;   ///< commands on what the catalog has as sharded
  };
  [[nodiscard]] facts look() const;

  /// Ends what is still open, and tells all that was judged.
  void stop(report::digest_builder& to);

 private:
  [[nodiscard]] text::result<void> wait_for_catalog() const;

  std::string folder_;
  net::endpoint admin_;
  std::unique_ptr<proxy::daemon> daemon_;
  std::thread runs_;
};

}  // namespace scattergate::app
