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

/// The sockets of the admin server: one for all that it answers, and one for the page and the
/// API alone, where there is an admin.page_listen.
struct admin_sockets {
  // NOLINTNEXTLINE(google-explicit-constructor): one socket is what most have
  admin_sockets(net::listening_socket for_all,
                std::optional<net::listening_socket> for_page = std::nullopt)
      : all(std::move(for_all)), page(std::move(for_page)) {}

  net::listening_socket all;
  std::optional<net::listening_socket> page;
};

/// The admin address: /metrics, /healthz, /readyz, a page for people and an API, over
/// Boost.Beast on a thread of its own. Nothing there changes anything; connections, request
/// sizes and times are bounded. Thread-safety: construct, start and stop from one thread.
class admin_server {
 public:
  admin_server(admin_sockets sockets, const metrics_collector& metrics,
               const health& health_now, const admin_settings& with);
  ~admin_server();  ///< stops

  /// Before start(): what a path answers (admin_pages::show).
  void show(std::string path, std::string_view content_type, std::function<std::string()> body);

  /// The same of the digest (admin_pages::show_digest).
  void show_digest(live_digest& digest);

  /// The same of what is wrong (admin_pages::show_conditions), where TLS that fails here is
  /// told as well.
  void show_conditions(condition_board& board);

  /// The same of the API (admin_pages::show_api).
  void show_api(const class api& shown);

  /// The same of the commands that pass, at /api/v1/tap, while that is allowed. It must outlive
  /// this.
  void show_tap(class live_tap& tap);

  void start();
  /// Connections and requests from now on go by these, but for `page`. Any thread may ask.
  void use(const admin_settings& with);
  /// Somebody else answers at the address from now on: answers what has been asked, and closes.
  void stop_accepting();
  /// After stop_accepting() what has been asked is answered, within a second. The file of a
  /// Unix socket stays: see forget_address().
  void stop();

  [[nodiscard]] net::endpoint bound() const;
  /// The address of the page alone, where there is one.
  [[nodiscard]] std::optional<net::endpoint> page_bound() const;

  /// How many connections were closed for others. Any thread may ask.
  [[nodiscard]] std::uint64_t guests_cut() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::telemetry
