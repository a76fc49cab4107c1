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
#include "telemetry/admin/admin_settings.hpp"
#include "telemetry/admin/health.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// The sockets of the admin server: one for everything, and, with admin.page_listen, one for
/// the page and the API alone.
struct admin_sockets {
  // NOLINTNEXTLINE(google-explicit-constructor): most configurations have one socket
  admin_sockets(net::listening_socket for_all,
                std::optional<net::listening_socket> for_page = std::nullopt)
      : all(std::move(for_all)), page(std::move(for_page)) {}

  net::listening_socket all;
  std::optional<net::listening_socket> page;
};

/// The admin server: /metrics, /healthz, /readyz, the page and the API, over Boost.Beast on a
/// thread of its own. It is read-only; connections, request sizes and times are bounded.
/// Thread-safety: construct, start and stop from one thread.
class admin_server {
 public:
  admin_server(admin_sockets sockets, const metrics_collector& metrics,
               const health& health_now, const admin_settings& with);
  ~admin_server();  ///< calls stop()

  /// Adds a path below /api/v1/ (admin_pages::show()). Call before start().
  void show(std::string path, std::string_view content_type, std::function<std::string()> body);

  /// Sets the digest (admin_pages::show_digest()). Call before start().
  void show_digest(live_digest& digest);

  /// Sets the conditions (admin_pages::show_conditions()); TLS failures of this server are
  /// raised there too. Call before start().
  void show_conditions(condition_board& board);

  /// Sets the API (admin_pages::show_api()). Call before start().
  void show_api(const class api& shown);

  /// Serves the commands of `tap` at /api/v1/tap while the tap is allowed. `tap` must outlive
  /// this object. Call before start().
  void show_tap(class live_tap& tap);

  /// The advice on shard keys, at /advice and /api/v1/advice. It must outlive this.
  void show_advice(class advice_service& service);

  void start();
  /// Applies new settings, except `page`, to new connections and requests. Any thread may call
  /// it.
  void apply_settings(const admin_settings& with);
  /// Stops accepting, because another process now serves the address; answers pending requests
  /// and closes their connections.
  void stop_accepting();
  /// Ends the server. After stop_accepting(), pending requests are answered first, within a
  /// second. The file of a Unix socket stays: see forget_address().
  void stop();

  [[nodiscard]] net::endpoint bound() const;
  /// The page's own address, if there is one.
  [[nodiscard]] std::optional<net::endpoint> page_bound() const;

  /// Connections closed to make room for others. Any thread may call it.
  [[nodiscard]] std::uint64_t guests_cut() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
