#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "config/cluster/catalog_facts.hpp"
#include "config/cluster/cluster_mirror.hpp"
#include "config/cluster/load_outcome.hpp"

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

/// A change of the cluster's metadata by a command (DDL). Until the catalog is read again,
/// verdicts on this namespace may be wrong.
struct metadata_change {
  std::string database;          ///< empty: any
  std::string collection;        ///< empty: any collection of the database
  bool is_placement = false;     ///< only chunks, or their shards, may differ; otherwise also
                                 ///< the shard key, or whether the collection is sharded
  bool goes_on = false;          ///< the change may go on after the command's reply
  std::uint64_t known_from = 0;  ///< the number of the first load that reads the changed
                                 ///< metadata; set by note_change()

  friend bool operator==(const metadata_change&, const metadata_change&) = default;
};

/// A load of the live catalog that is due.
struct load_order {
  load_trigger why = load_trigger::timer;
  std::uint64_t number = 0;  ///< the loads are numbered from 1
  load_focus focus;          ///< the namespaces that the load must read again
};

/// Collects the workers' reasons to reload the live catalog, and wakes its thread. Workers
/// report commands that change collections or chunks, and commands on collections that the
/// catalog doesn't list. A reported collection that turns out not to be sharded is remembered,
/// up to a limit, so that it triggers no further load. Thread-safety: any thread; a mutex
/// guards these rare events.
class catalog_notes {
 public:
  using clock = refresh_pacer::clock;

  /// Reports a change by a command. The worker that sees the command's reply calls this, before
  /// it forwards the reply's last byte. A load follows, and 2 s later another one if the change
  /// goes on.
  void note_change(metadata_change change);
  /// The number of changes so far. Cheap: workers call it for each command.
  [[nodiscard]] std::uint64_t changes() const noexcept {
    return changes_.load(std::memory_order_acquire);
  }
  /// The changes after the first `seen`, at most 64. If there are more, returns a single change
  /// of any namespace instead. Sets `seen` to the number of changes so far.
  [[nodiscard]] std::vector<metadata_change> changes_since(std::uint64_t& seen) const;

  /// Requests a load at once, because a command on `names` waits for it. Returns the load's
  /// number: it begins after this call.
  [[nodiscard]] std::uint64_t request_load(const load_focus& names);

  /// Reports a command on a collection that the catalog doesn't list. `name`: the collection's
  /// name, without the database.
  void note_unknown(std::string_view database, std::string_view name);
  void force();  ///< requests that everything is read again, at once (SIGHUP)
  void stop();   ///< ends await(), which returns at once from now on

  /// Whether stop() was called.
  [[nodiscard]] bool is_stopped() const;

  /// The number of unknown namespaces that were reported since the last load began; at most
  /// 1,024.
  [[nodiscard]] std::size_t asked() const;

  /// For the live catalog's thread: waits until the next load is due according to `pacer`, or
  /// until stop(). Returns the load to do now. Removes the requests that the load will answer.
  [[nodiscard]] load_order await(const refresh_pacer& pacer);

  /// Call it when the load that followed await() has succeeded. The namespaces that were
  /// reported before this load then trigger no further load.
  void settle();

 private:
  static constexpr std::size_t most_changes = 64;

  void remember(std::size_t hash);

  // Workers read it for each command: nothing that changes often may share its cache line.
  alignas(64) std::atomic<std::uint64_t> changes_{0};
  alignas(64) mutable std::mutex mutex_;
  std::condition_variable changed_;
  refresh_requests requests_;
  std::uint64_t begun_ = 0;                           // number of loads that have begun
  load_focus focus_;                                  // of the next load
  std::array<metadata_change, most_changes> latest_;  // change n is at n % most_changes
  std::optional<clock::time_point> again_;  // when to load again, because a change goes on
  // Hashes of the unknown namespaces that were reported since the last load began.
  std::unordered_set<std::size_t> asked_;
  std::unordered_set<std::size_t> asking_;   // namespaces that the current load answers
  std::unordered_set<std::size_t> settled_;  // namespaces that aren't sharded
  std::deque<std::size_t> settled_order_;    // the oldest first
  bool is_stopped_ = false;
};

}  // namespace scattergate::config
