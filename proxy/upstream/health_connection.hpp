#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/patient_connection.hpp"
#include "net/socket_address.hpp"
#include "proxy/settings.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {

/// Checks the health of one mongos: sends a hello over our own connection, with TLS and a PROXY
/// header if clients' connections have them. Reuses a connection for a few checks, then opens a
/// new one to verify that mongos still accepts any. Blocks. Thread-safety: one thread.
class health_connection {
 public:
  /// Why a check failed.
  struct failure {
    telemetry::upstream_failure reason{};
    std::string why;
  };

  /// A check ends early when the descriptor `stop` becomes readable.
  explicit health_connection(int stop) noexcept : stop_(stop) {}

  /// Checks the mongos at this address; std::nullopt if it answered. `host`: the name that its
  /// certificate must match, unless the settings specify another.
  [[nodiscard]] std::optional<failure> check(const net::socket_address& at,
                                             const std::string& host,
                                             const listener_settings& settings);

 private:
  [[nodiscard]] bool fits(const net::socket_address& at,
                          const listener_settings& settings) const;
  [[nodiscard]] std::optional<failure> open(const net::socket_address& at,
                                            const std::string& host,
                                            const listener_settings& settings);
  [[nodiscard]] std::optional<failure> greet();
  [[nodiscard]] bool skip(std::size_t bytes);
  [[nodiscard]] failure unanswered() const;

  int stop_;
  std::optional<net::patient_connection> connection_;
  // The connection's address and settings, and the number of its checks.
  net::socket_address at_;
  std::shared_ptr<const net::tls_context> tls_;
  bool has_proxy_header_ = false;
  int checks_ = 0;
};

}  // namespace scattergate::proxy
