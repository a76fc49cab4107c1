#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string_view>
#include <unordered_set>

#include "config/cluster/refresh_pacer.hpp"

namespace scattergate::config {

/// Collects the workers' reasons to reload the live catalog, and wakes its thread. Workers
/// report commands that change collections or chunks, and commands on collections that the
/// catalog doesn't list. A reported collection that turns out not to be sharded is remembered,
/// up to a limit, so that it triggers no further load. Thread-safety: any thread; a mutex
/// guards these rare events.
class catalog_notes {
 public:
  using clock = refresh_pacer::clock;

  /// Reports that a command (DDL) changed collections or chunks. The worker that sees the
  /// command calls this.
  void note_ddl();
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
  /// until stop(). Returns the load's reason. Removes the requests that the load will answer.
  [[nodiscard]] load_trigger await(const refresh_pacer& pacer);

  /// Call it when the load that followed await() has succeeded. The namespaces that were
  /// reported before this load then trigger no further load.
  void settle();

 private:
  void remember(std::size_t hash);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  refresh_requests requests_;
  // Hashes of the unknown namespaces that were reported since the last load began.
  std::unordered_set<std::size_t> asked_;
  std::unordered_set<std::size_t> asking_;   // namespaces that the current load answers
  std::unordered_set<std::size_t> settled_;  // namespaces that aren't sharded
  std::deque<std::size_t> settled_order_;    // the oldest first
  bool is_stopped_ = false;
};

}  // namespace scattergate::config
