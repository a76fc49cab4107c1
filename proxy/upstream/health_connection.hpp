#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "net/patient_connection.hpp"
#include "net/socket_address.hpp"
#include "proxy/settings.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "wire/reply_scan.hpp"

namespace scattergate::proxy {

/// Checks the health of one mongos over a separate connection, which uses TLS and a PROXY
/// header if the connections that serve clients use them. After 15 checks, a new connection
/// verifies that mongos still accepts connections. Thread-safety: one thread.
class health_connection {
 public:
  /// What a check asks for.
  enum class depth : std::uint8_t {
    hello,    ///< a hello, which mongos answers alone
    command,  ///< then a read of config.shards, for which mongos needs its config servers. If
              ///< mongos refuses it (Unauthorized, for example), a hello with a user's name,
              ///< for which mongos needs them, too
  };

  /// What has failed.
  enum class part : std::uint8_t {
    resources,  ///< this process or host is out of descriptors, ports or memory: the check says
                ///< nothing about mongos
    hello,      ///< connecting, or the hello
    command,    ///< the command after the hello
  };

  /// Why a check failed.
  struct failure {
    telemetry::upstream_failure reason{};  ///< the category, for metrics
    std::string why;                       ///< the reason in words
    part in = part::hello;                 ///< what has failed
  };

  /// How to check a mongos. A view: the references must outlive the call of check().
  struct target {
    const net::socket_address& address;
    const std::string& host;  ///< the name that mongos's certificate must match, unless
                              ///< `settings` specifies another name
    const listener_settings& settings;
  };

  /// `stop`: a descriptor that ends a check early when it becomes readable; must outlive this
  /// object. `timeout`: the time limit of a check over one connection.
  health_connection(int stop, std::chrono::milliseconds timeout) noexcept
      : stop_(stop), timeout_(timeout) {}

  /// Checks a mongos. Blocks, for up to the timeout per connection. Returns std::nullopt if
  /// mongos has answered.
  [[nodiscard]] std::optional<failure> check(const target& of, depth asked);

 private:
  using clock = net::patient_connection::clock;

  [[nodiscard]] bool fits(const target& of) const;
  [[nodiscard]] std::optional<failure> open(const target& of);
  [[nodiscard]] std::optional<failure> greet();
  [[nodiscard]] std::optional<failure> command();
  [[nodiscard]] std::optional<failure> answer_to(std::span<const std::byte> message,
                                                 std::int32_t id, wire::reply_facts& facts);
  [[nodiscard]] bool scan(wire::reply_scanner& reply, std::size_t bytes);
  [[nodiscard]] failure unanswered() const;
  [[nodiscard]] std::string in_time() const;

  int stop_;
  std::chrono::milliseconds timeout_;
  std::optional<net::patient_connection> connection_;
  // The address and settings of connection_.
  net::socket_address at_;
  std::shared_ptr<const net::tls_context> tls_;
  bool has_proxy_header_ = false;
  int checks_ = 0;         // the number of checks over connection_
  std::int32_t last_ = 0;  // the requestID of the last message
};

}  // namespace scattergate::proxy
