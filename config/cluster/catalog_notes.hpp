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

/// Passes reports from workers to the thread of a live_catalog. A report says that a command
/// has changed collections or chunks, or names a collection that the catalog doesn't list. A
/// namespace that turns out not to be sharded is remembered, up to a limit, so that it triggers
/// no further load. Thread-safety: any thread; a mutex guards these rare events.
class catalog_notes {
 public:
  using clock = refresh_pacer::clock;

  /// Reports that a command changed collections or chunks.
  void note_ddl();
  /// Reports a command on a collection that the catalog doesn't list. `name`: the collection's
  /// name, without the database.
  void note_unknown(std::string_view database, std::string_view name);
  void force();  ///< requests a load of everything, at once (SIGHUP)
  void stop();   ///< ends await(), which returns at once from now on

  /// Whether stop() was called.
  [[nodiscard]] bool is_stopped() const;

  /// The number of reported namespaces for which no load has begun yet.
  [[nodiscard]] std::size_t asked() const;

  /// For the live catalog's thread: waits until the next load is due according to `pacer`, or
  /// until stop(). Returns the load's reason, and removes the requests that this load answers.
  [[nodiscard]] load_trigger await(const refresh_pacer& pacer);

  /// Call it when the load after await() has succeeded. From then on, the namespaces that were
  /// reported before the load trigger no further load.
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
