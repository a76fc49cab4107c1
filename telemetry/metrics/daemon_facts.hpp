#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "config/cluster/catalog_facts.hpp"
#include "telemetry/metrics/upstream_facts.hpp"

namespace scattergate::telemetry {

/// Numbers for metrics that change rarely, outside the data path. Each has a row in
/// metric_list, which the compiler checks. Thread-safety: any thread.
struct daemon_facts {
  std::atomic<std::uint64_t> config_reloads{0};  ///< including failed ones
  std::atomic<std::uint64_t> config_reload_failures{0};
  std::atomic<std::uint64_t> config_last_reload_successful{1};  ///< 1 before the first reload
  std::atomic<std::int64_t> config_loaded_at{0};                ///< Unix seconds
  std::atomic<std::int64_t> catalog_loaded_at{0};               ///< Unix seconds, 0: never
  std::atomic<std::uint64_t> catalog_collections{0};
  std::atomic<std::uint64_t> catalog_chunks{0};
  std::atomic<std::uint64_t> catalog_load_failures{0};
  std::atomic<std::uint64_t> cursors_tracked{0};
  std::atomic<std::uint64_t> cursors_evicted{0};
  std::atomic<std::uint64_t> replica_set_hellos{0};  ///< hello replies of the upstream that
                                                     ///< name a replica set
  std::atomic<std::uint64_t> workers{0};
  std::atomic<std::uint64_t> tap_listeners{0};
  std::atomic<std::uint64_t> tap_dropped{0};
  std::atomic<std::uint64_t> state_write_failures{0};
  std::atomic<std::uint64_t> fleet_flushes{0};    ///< acknowledged by the fleet's database
  std::atomic<std::uint64_t> fleet_failures{0};   ///< failed attempts to flush
  std::atomic<std::int64_t> fleet_flushed_at{0};  ///< Unix seconds, 0: never
  std::atomic<std::uint64_t> fleet_waiting{0};    ///< commands not in the fleet's database yet
  std::atomic<std::uint64_t> fleet_dropped{0};    ///< commands that the fleet's database will
                                                  ///< never have
  /// Numbers about the catalog; shared, because the catalog's loader may outlive this object.
  std::shared_ptr<config::catalog_facts> catalog = std::make_shared<config::catalog_facts>();
};

/// A worker's clients that have waited for a reply for a second or longer, as of the worker's
/// last check.
struct reply_waits {
  std::atomic<std::uint64_t> clients{0};
  std::atomic<std::int64_t> longest_millis{0};
};

/// The state of one listener and its mongos, for metrics and the page. Changes outside the data
/// path. Thread-safety: any thread.
struct listener_facts {
  std::string address;
  std::deque<upstream_facts> upstreams;          // elements never move
  std::atomic<std::size_t> active{no_upstream};  ///< index of the mongos in use, or no_upstream
  std::atomic<std::uint64_t> failovers{0};
  std::atomic<std::uint64_t> health_checks_passed{0};
  std::atomic<std::uint64_t> health_checks_failed{0};
  std::atomic<std::int64_t> certificate_expires_at{0};  ///< Unix seconds, 0: no TLS
  std::deque<reply_waits> waits;                        ///< by worker

  [[nodiscard]] std::uint64_t clients_waiting() const noexcept;
  [[nodiscard]] std::int64_t longest_wait_millis() const noexcept;

  static constexpr std::size_t no_upstream = SIZE_MAX;
};

}  // namespace scattergate::telemetry
