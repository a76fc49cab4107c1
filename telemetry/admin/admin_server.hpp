#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/endpoint.hpp"
#include "net/listener.hpp"
#include "telemetry/admin/health.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::telemetry {

/// The admin address: /metrics, /healthz, /readyz and a page for people, over Boost.Beast on
/// a thread of its own. Nothing there changes anything; connections, request sizes and times
/// are bounded.
/// Thread-safety: construct, start and stop from one thread.
class admin_server {
 public:
  admin_server(net::listening_socket socket, const metrics_collector& metrics,
               const health& health_now, bool page);
  ~admin_server();  ///< stops

  /// Before start(): what /api/v1/samples answers (admin_pages::show_samples).
  void show_samples(std::function<std::string()> lines);

  void start();
  /// Somebody else answers at the address from now on: answers what has been asked, and closes.
  void stop_accepting();
  /// After stop_accepting() what has been asked is answered, within a second. The file of a
  /// Unix socket stays: see forget_address().
  void stop();

  [[nodiscard]] net::endpoint bound() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
