#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "net/endpoint.hpp"
#include "net/listener.hpp"
#include "telemetry/admin/admin_access.hpp"
#include "telemetry/admin/health.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// The admin server's listening sockets: one for all paths and, with admin.page_listen, one for
/// the page and the API only.
struct admin_sockets {
  // NOLINTNEXTLINE(google-explicit-constructor): most configurations have one socket
  admin_sockets(net::listening_socket for_all,
                std::optional<net::listening_socket> for_page = std::nullopt)
      : all(std::move(for_all)), page(std::move(for_page)) {}

  net::listening_socket all;                  ///< for all paths
  std::optional<net::listening_socket> page;  ///< for the page and the API only; empty: none
};

/// The HTTP server for /metrics, /healthz, /readyz, the page and the API, on its own thread.
/// Requests only read; none changes the daemon. The number of connections, the size of a
/// request and the time for a request are limited. Thread-safety: construct, start and stop
/// from one thread.
class admin_server {
 public:
  /// Takes ownership of the sockets; start() begins to accept. The references must outlive
  /// this object, except for `settings`, which is copied.
  admin_server(admin_sockets sockets, const metrics_collector& metrics,
               const health& health_now, const admin_settings& settings);
  ~admin_server();  ///< calls stop()

  /// Serves an additional path. `body` makes the body for each request, on the server's thread;
  /// `content_type` must outlive this object. Has no effect if the page is off. Call it before
  /// start().
  void show(std::string path, std::string_view content_type, std::function<std::string()> body);

  /// Sets the digest (the table of query shapes) that the page shows. `digest` must outlive
  /// this object. Call it before start().
  void show_digest(live_digest& digest);

  /// Sets the board of current problems (conditions). The page shows it, and the server reports
  /// failed TLS handshakes to it. `board` must outlive this object. Call it before start().
  void show_conditions(condition_board& board);

  /// Sets the handler of the paths below /api/v1/, and the source of the events of
  /// /api/v1/events. `shown` must outlive this object. Call it before start().
  void show_api(const class api& shown);

  /// Serves the commands of `tap` at /api/v1/tap while admin.tap allows it. `tap` must outlive
  /// this object. Call it before start().
  void show_tap(class live_tap& tap);

  /// Serves advice on shard keys at /advice and /api/v1/advice. `service` must outlive this
  /// object. Call it before start().
  void show_advice(class advice_service& service);

  /// Starts the thread and accepts connections.
  void start();
  /// Applies new settings, after a reload, to new connections and requests. If the token or the
  /// accepted hosts have changed, also ends the event streams. Any thread may call it.
  void apply_settings(const admin_settings& settings);
  /// Stops accepting connections and ends the event streams. Each open connection is closed
  /// after its pending or next request; this function doesn't wait. Call it when another
  /// process has taken over the address.
  void stop_accepting();
  /// Closes all connections and ends the thread. After stop_accepting(), first waits up to one
  /// second until the open requests are answered. Doesn't remove a Unix socket's file;
  /// net::forget_address() does.
  void stop();

  /// The address of the socket for all paths.
  [[nodiscard]] net::endpoint bound() const;

  /// The number of connections closed to make room for others. Any thread may call it.
  [[nodiscard]] std::uint64_t guests_cut() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
