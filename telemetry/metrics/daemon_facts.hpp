#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/cluster/catalog_facts.hpp"
#include "config/driver/driver_events.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {

/// Why a client connection or a health check failed to reach a mongos.
enum class upstream_failure : std::uint8_t {
  dns,      ///< the name has no address, or the name server doesn't answer
  refused,  ///< the connection was refused
  timeout,  ///< no connection, or no reply, in time
  tls,      ///< the TLS handshake failed, or the certificate isn't trusted
  closed,   ///< mongos closed the connection instead of replying
  other,    ///< any other failure
};
inline constexpr std::size_t upstream_failure_count = wire::enum_count<upstream_failure>();
/// The failure's label in metrics.
[[nodiscard]] std::string_view label(upstream_failure why) noexcept;

/// The result of the last health check.
enum class upstream_health : std::uint8_t {
  unknown,  ///< no check has ended
  up,
  down,    ///< it doesn't answer a hello
  silent,  ///< it answers a hello, but no commands
};

/// The state of one address of a mongos's name. Thread-safety: any thread.
struct address_facts {
  /// `shown`: the address and port as text.
  explicit address_facts(std::string shown) : address(std::move(shown)) {}

  const std::string address;
  std::atomic<upstream_health> health{upstream_health::unknown};  ///< the result of the last
                                                                  ///< health check
  std::atomic<std::uint64_t> connections{0};  ///< number of client connections that use it
  std::atomic<bool> is_active{false};         ///< new client connections may use it now
  std::atomic<bool> is_draining{false};       ///< its connections end when they are idle
};

/// The counts of one name of a mongos to which a listener may forward. Thread-safety: any
/// thread.
struct upstream_facts {
  /// `named`: the configured name of the mongos.
  explicit upstream_facts(std::string named) : name(std::move(named)) {}

  /// Counts a failure to reach this mongos.
  void note(upstream_failure why) noexcept {
    failures[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  }

  const std::string name;
  /// Whether the name has no known address, and the last attempt to find one has failed.
  std::atomic<bool> is_unresolved{false};
  /// The number of addresses of the name that aren't used, because there are too many.
  std::atomic<std::uint64_t> addresses_left_out{0};
  /// Number of failures, by upstream_failure.
  std::array<std::atomic<std::uint64_t>, upstream_failure_count> failures{};
};

/// A mongos's name with its addresses, which may change. Thread-safety: any thread.
struct upstream_entry {
  std::shared_ptr<upstream_facts> counts;                 ///< never null
  std::vector<std::shared_ptr<address_facts>> addresses;  ///< in the name server's order

  /// `up` if any address is up; `down` if all are down, or the name can't be resolved.
  [[nodiscard]] upstream_health health() const noexcept;
  /// Whether new client connections may use one of the addresses now.
  [[nodiscard]] bool is_active() const noexcept;
};

/// The daemon's numbers for metrics that change rarely and outside the forwarding of commands.
/// Counts are since the start. Each number has a row in metric_list, which the compiler checks.
/// Thread-safety: any thread.
struct daemon_facts {
  std::atomic<std::uint64_t> config_reloads{0};  ///< reloads of the configuration, including
                                                 ///< failed ones
  std::atomic<std::uint64_t> config_reload_failures{0};
  std::atomic<std::uint64_t> config_last_reload_successful{1};  ///< 1 or 0; 1 before the first
                                                                ///< reload
  /// When the configuration in use was loaded, in Unix seconds.
  std::atomic<std::int64_t> config_loaded_at{0};
  /// When the catalog in use was loaded, in Unix seconds; 0: no catalog was loaded yet.
  std::atomic<std::int64_t> catalog_loaded_at{0};
  std::atomic<std::uint64_t> catalog_collections{0};  ///< in the catalog in use
  std::atomic<std::uint64_t> catalog_chunks{0};       ///< in the catalog in use
  std::atomic<std::uint64_t> catalog_load_failures{0};
  std::atomic<std::uint64_t> cursors_tracked{0};  ///< open cursors whose command is remembered
  std::atomic<std::uint64_t> cursors_evicted{0};  ///< cursors no longer tracked, because the
                                                  ///< table of cursors was full
  /// Hello replies that name a replica set, although the upstream should be a mongos.
  std::atomic<std::uint64_t> replica_set_hellos{0};
  std::atomic<std::uint64_t> workers{0};
  /// The clients that now read the tap (/api/v1/tap), a stream of the commands that pass.
  std::atomic<std::uint64_t> tap_listeners{0};
  /// Commands that the tap showed to no client, because there were too many.
  std::atomic<std::uint64_t> tap_dropped{0};
  std::atomic<std::uint64_t> log_lines_lost{0};  ///< lines of the operational log that couldn't
                                                 ///< be written
  /// Failed writes of the state file, which keeps counts across restarts.
  std::atomic<std::uint64_t> state_write_failures{0};
  std::atomic<std::uint64_t> fleet_flushes{0};   ///< deltas (batches of counts) that the
                                                 ///< fleet's database has acknowledged
  std::atomic<std::uint64_t> fleet_failures{0};  ///< failed attempts to add counts to the
                                                 ///< fleet's database
  /// When the fleet's database last acknowledged counts, or had all of them, in Unix seconds;
  /// 0: never.
  std::atomic<std::int64_t> fleet_flushed_at{0};
  /// The same time by the steady clock, for the age; until then, the time of the first attempt.
  /// The epoch: there was no attempt.
  std::atomic<std::chrono::steady_clock::time_point> fleet_fresh_at{};
  std::atomic<std::uint64_t> fleet_interval_ms{0};  ///< fleet.interval, in milliseconds; 0:
                                                    ///< there is no fleet
  std::atomic<std::uint64_t> fleet_waiting{0};  ///< commands not in the fleet's database yet
  std::atomic<std::uint64_t> fleet_dropped{0};  ///< commands whose counts were discarded, so
                                                ///< that the fleet's database never gets them
  /// Failed driver processes (child processes that run the MongoDB driver), by cause.
  std::array<std::atomic<std::uint64_t>, config::driver_end_count> driver_restarts{};
  /// Numbers about the catalog; shared, because the catalog's loader may outlive this object.
  std::shared_ptr<config::catalog_facts> catalog = std::make_shared<config::catalog_facts>();
};

/// How one worker serves a listener's clients, as of the worker's last check. A client waits if
/// it has waited for a reply for a second or longer.
struct reply_waits {
  std::atomic<std::uint64_t> clients{0};        ///< number of waiting clients; 0: none
  std::atomic<std::int64_t> longest_millis{0};  ///< the longest wait
  /// When a client's command on a collection last succeeded, or the worker started, in
  /// milliseconds of the steady clock; 0: unknown, because inspection is off.
  std::atomic<std::int64_t> served_at_millis{0};
  std::atomic<std::uint64_t> open_cursors{0};  ///< number of connections with an open cursor
};

/// The state of one listener and its mongos, for metrics and the page. Changes outside the
/// forwarding of commands. Thread-safety: any thread.
struct listener_facts {
  std::string address;                      ///< the listener's address as configured
  std::atomic<std::uint64_t> failovers{0};  ///< number of changes to another mongos
  std::atomic<std::uint64_t> health_checks_passed{0};
  std::atomic<std::uint64_t> health_checks_failed{0};
  std::atomic<std::int64_t> certificate_expires_at{0};  ///< of the TLS certificate for clients,
                                                        ///< in Unix seconds; 0: no TLS
  std::atomic<bool> has_checks{false};                  ///< health checks are on
  /// Of the TLS certificate for mongos, in Unix seconds; 0: none.
  std::atomic<std::int64_t> upstream_certificate_expires_at{0};
  std::deque<reply_waits> waits;  ///< one per worker

  /// The number of clients that wait for a reply, over all workers (see reply_waits).
  [[nodiscard]] std::uint64_t clients_waiting() const noexcept;
  /// The longest current wait of any client for a reply, in milliseconds.
  [[nodiscard]] std::int64_t longest_wait_millis() const noexcept;
  /// When a client's command on a collection last succeeded, or the workers started, in
  /// milliseconds of the steady clock; 0: unknown, because inspection is off.
  [[nodiscard]] std::int64_t served_at_millis() const noexcept;
  /// How long a client has waited for a reply while no client's command on a collection has
  /// succeeded, in milliseconds; 0: no client waits. While inspection is off: the longest wait.
  [[nodiscard]] std::int64_t silence_millis(
      std::chrono::steady_clock::time_point now) const noexcept;
  /// The number of client connections with an open cursor, over all workers.
  [[nodiscard]] std::uint64_t open_cursors() const noexcept;

  /// Replaces the list of the listener's mongos.
  void show_upstreams(std::vector<upstream_entry> now);
  /// The listener's mongos, in the order of the configuration.
  [[nodiscard]] std::vector<upstream_entry> upstreams() const;

 private:
  mutable std::mutex mutex_;
  std::vector<upstream_entry> upstreams_;  // guarded by mutex_
};

}  // namespace scattergate::telemetry
