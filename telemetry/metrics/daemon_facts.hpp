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

/// Facts that change seldom and are set from cold places. Each has its row in metric_list,
/// which the compiler sees to.
struct daemon_facts {
  std::atomic<std::uint64_t> config_reloads{0};  ///< failed ones included
  std::atomic<std::uint64_t> config_reload_failures{0};
  std::atomic<std::uint64_t> config_last_reload_successful{1};  ///< 1 before the first, too
  std::atomic<std::int64_t> config_loaded_at{0};                ///< Unix seconds
  std::atomic<std::int64_t> catalog_loaded_at{0};               ///< Unix seconds, 0: never
  std::atomic<std::uint64_t> catalog_collections{0};
  std::atomic<std::uint64_t> catalog_chunks{0};
  std::atomic<std::uint64_t> catalog_load_failures{0};
  std::atomic<std::uint64_t> cursors_tracked{0};
  std::atomic<std::uint64_t> cursors_evicted{0};
  std::atomic<std::uint64_t> replica_set_hellos{0};  ///< upstream said it is a replica set
  std::atomic<std::uint64_t> workers{0};
  std::atomic<std::uint64_t> tap_listeners{0};
  std::atomic<std::uint64_t> tap_dropped{0};
  std::atomic<std::uint64_t> state_write_failures{0};
  /// What the catalog tells of itself; shared, so that whoever loads it may outlive us.
  std::shared_ptr<config::catalog_facts> catalog = std::make_shared<config::catalog_facts>();
};

/// The clients that have waited for a reply for a second or longer, as one worker last saw it.
struct reply_waits {
  std::atomic<std::uint64_t> clients{0};
  std::atomic<std::int64_t> longest_millis{0};
};

/// What is known of one listener and of the mongos behind it; set from cold places.
struct listener_facts {
  std::string address;
  std::deque<upstream_facts> upstreams;          // stay where they are
  std::atomic<std::size_t> active{no_upstream};  ///< index into upstreams
  std::atomic<std::uint64_t> failovers{0};
  std::atomic<std::uint64_t> health_checks_passed{0};
  std::atomic<std::uint64_t> health_checks_failed{0};
  std::atomic<std::int64_t> certificate_expires_at{0};  ///< Unix seconds, 0: no TLS
  std::deque<reply_waits> waits;                        ///< one of each worker, since the start

  [[nodiscard]] std::uint64_t clients_waiting() const noexcept;
  [[nodiscard]] std::int64_t longest_wait_millis() const noexcept;

  static constexpr std::size_t no_upstream = SIZE_MAX;
};

}  // namespace scattergate::telemetry
