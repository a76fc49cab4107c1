#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "config/options/options.hpp"
#include "net/blocking_connection.hpp"
#include "net/socket_address.hpp"
#include "net/unique_fd.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/upstream.hpp"
#include "proxy/upstream/upstream_address.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "wire/reply_scan.hpp"

namespace scattergate::proxy {

/// Clients of a listener wait for replies, and no command succeeds meanwhile.
struct silence {
  bool is_proof = false;  ///< several clients wait. One client alone may have sent a slow
                          ///< command; so may all clients while inspection is off, because it
                          ///< isn't known then whether other commands succeed.
};

/// Whether a listener's mongos is silent: a client has waited for `no_reply` or longer, and no
/// command has succeeded for as long. std::nullopt if not, or if `no_reply` is 0.
[[nodiscard]] std::optional<silence> silence_of(const telemetry::listener_facts& listener,
                                                std::chrono::steady_clock::time_point now,
                                                std::chrono::milliseconds no_reply) noexcept;

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
  using clock = net::blocking_connection::clock;

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
  std::optional<net::blocking_connection> connection_;
  // The address and settings of connection_.
  net::socket_address at_;
  std::shared_ptr<const net::tls_context> tls_;
  bool has_proxy_header_ = false;
  int checks_ = 0;         // the number of checks over connection_
  std::int32_t last_ = 0;  // the requestID of the last message
};

/// Checks the health of every mongos behind a listener periodically, on a thread of its own.
/// This detects within seconds, even without clients, a mongos that is down or doesn't answer.
/// Each address of a name is checked by itself; a failed check has the name resolved again, and
/// raises a condition (a problem that log, metrics and page show). If failover_options::fall
/// checks in a row of a mongos in use fail, the listener leaves it for another whose last check
/// passed. If no other mongos passed, reports that no mongos can be reached.
///
/// A check is a hello. While clients wait and no command succeeds (see `silence`), the checks
/// of all mongos also try a command, because a mongos whose config servers hang answers a hello
/// only. A mongos that has failed this is tried so until it passes.
///
/// Thread-safety: construct and destroy it on one thread.
class upstream_watch {
 public:
  /// Returns the listener's current settings.
  using settings_source = std::function<listener_settings()>;

  /// Starts the thread. `settings`: returns the listener's current settings; called on the new
  /// thread.
  upstream_watch(upstream& watched, const config::failover_options& options,
                 settings_source settings);
  ~upstream_watch();  ///< interrupts a running check, and waits for the thread

 private:
  using clock = upstream_address::clock;
  using addresses = std::vector<upstream_address_ptr>;
  /// The checks of one address.
  struct record {
    record(int stop, std::chrono::milliseconds timeout) : connection(stop, timeout) {}
    health_connection connection;
    std::string why_failed;  ///< why the last failed check failed; empty:
                             ///< failover_options::rise checks have passed since
    unsigned failures = 0;   ///< failed checks in a row
    unsigned passed = 0;     ///< passed checks in a row
  };

  void run();
  void check_all();
  [[nodiscard]] addresses check_addresses(const upstream_address_ptr& in_use);
  [[nodiscard]] addresses in_turns(addresses all, const upstream_address_ptr& in_use);
  [[nodiscard]] record& record_of(const upstream_address_ptr& at);
  void check(const upstream_address_ptr& at);
  void check_names();
  void count(bool has_passed);
  void forget_all_but(const addresses& checked);
  void judge(const addresses& checked, const upstream_address_ptr& in_use);
  void note_state(const upstream_address_ptr& at, const record& of,
                  const upstream_address_ptr& in_use);
  [[nodiscard]] std::string why_all_failed(const addresses& checked);
  [[nodiscard]] bool is_stopped();
  [[nodiscard]] std::string waits() const;

  upstream& upstream_;
  config::failover_options options_;
  settings_source settings_;
  std::map<upstream_address_ptr, record> records_;
  std::optional<silence> silence_;     ///< as of this round of checks
  upstream_address_ptr last_failing_;  ///< of the addresses that have failed before: the one
                                       ///< that was checked last
  net::unique_fd stop_;                ///< an eventfd, readable once is_stopped_
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopped_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace scattergate::proxy
