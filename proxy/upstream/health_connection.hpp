#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/patient_connection.hpp"
#include "net/socket_address.hpp"
#include "proxy/settings.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {

/// Checks the health of one mongos: sends a hello over a separate connection. The connection
/// uses TLS and a PROXY header if the connections that serve clients use them. After 15 checks,
/// a new connection verifies that mongos still accepts connections. Thread-safety: one thread.
class health_connection {
 public:
  /// Why a check failed.
  struct failure {
    telemetry::upstream_failure reason{};  ///< the category, for metrics
    std::string why;                       ///< the reason in words
  };

  /// `stop`: a descriptor that ends a check early when it becomes readable. Must outlive this
  /// object.
  explicit health_connection(int stop) noexcept : stop_(stop) {}

  /// Checks the mongos at the address `at`. Blocks, for up to 2 s per connection. Returns
  /// std::nullopt if mongos has answered. `host`: the name that mongos's certificate must
  /// match, unless the settings specify another name.
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
  // The address and settings of connection_.
  net::socket_address at_;
  std::shared_ptr<const net::tls_context> tls_;
  bool has_proxy_header_ = false;
  int checks_ = 0;  // the number of checks over connection_
};

}  // namespace scattergate::proxy
