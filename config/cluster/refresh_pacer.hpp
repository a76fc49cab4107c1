#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

#include "config/cluster/catalog_facts.hpp"
#include "config/cluster/cluster_mirror.hpp"

namespace scattergate::config {

/// The kinds of requests for a load of a live catalog that were made since the last load began.
struct refresh_requests {
  bool forced = false;      ///< SIGHUP
  bool ddl = false;         ///< a command that changes collections or chunks succeeded
  bool name_space = false;  ///< a command named an unknown collection
  bool awaited = false;     ///< a command waits for the load
};

/// Decides when a live catalog is loaded next, why, and how much of it. Keeps many clients and
/// many daemons from overloading the cluster: after a load because of DDL, the next one follows
/// after ten times the first one's duration, at least 100 ms and at most 5 s. Loads because of
/// unknown namespaces, and retries after failures, have a minimum interval, which doubles while
/// they continue. The intervals of all but DDL vary at random. A load for which a command waits
/// is due at once. Thread-safety: one thread at a time.
class refresh_pacer {
 public:
  using clock = std::chrono::steady_clock;

  /// `interval`: the time between two loads if nothing requests one (the setting
  /// catalog.refresh). `seed`: for the random variation.
  refresh_pacer(std::chrono::milliseconds interval, clock::time_point now, std::uint64_t seed);

  /// The time of the next load, and its reason.
  struct turn {
    clock::time_point at;
    load_trigger why = load_trigger::timer;
  };
  /// The time and reason of the next load, if nothing but these requests is made until then.
  [[nodiscard]] turn next(const refresh_requests& requests) const;

  /// How much a load for this reason reads again. Call it once per load, because it counts:
  /// every tenth load by the timer is thorough.
  [[nodiscard]] load_depth depth_of(load_trigger why);

  /// Records the end of a load, which took the time `took`. The result determines when the next
  /// load is due.
  void ended(load_trigger why, load_result result, clock::time_point now,
             std::chrono::nanoseconds took);

 private:
  using duration = clock::duration;
  [[nodiscard]] duration jittered(duration about, double least, double most);

  std::chrono::milliseconds interval_;
  std::mt19937_64 random_;
  clock::time_point regular_;       // the next load without any request
  clock::time_point ddl_from_;      // earliest load because of DDL
  clock::time_point unknown_from_;  // earliest load because of unknown namespaces
  clock::time_point awaited_from_;  // earliest load for a waiting command
  duration unknown_gap_;
  load_trigger regular_why_ = load_trigger::start;
  unsigned failures_ = 0;  // failed loads in a row
  unsigned loads_ = 0;     // number of loads triggered by the timer
};

}  // namespace scattergate::config
