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

/// Reports from workers to the thread of a live catalog, which waits for them: that a command
/// changed collections or chunks, and that a command names a collection that the catalog
/// doesn't list. Namespaces that turn out not to be sharded are remembered, up to a limit, and
/// trigger no further load. Thread-safety: any thread; a mutex guards these rare events.
class catalog_notes {
 public:
  using clock = refresh_pacer::clock;

  /// Reports that a command changed collections or chunks.
  void note_ddl();
  /// Reports a command on a collection that the catalog doesn't list. `name`: the collection's
  /// name, without the database.
  void note_unknown(std::string_view database, std::string_view name);
  void force();  ///< requests a load of everything, at once
  void stop();   ///< makes await() return at once from now on

  [[nodiscard]] bool is_stopped() const;

  /// The number of reported unknown namespaces that wait for a load to begin.
  [[nodiscard]] std::size_t asked() const;

  /// Waits until the pacer's next load is due, or stop(). Returns the load's reason and removes
  /// the requests that this load answers.
  [[nodiscard]] load_trigger await(const refresh_pacer& pacer);

  /// Call it when the load that await() announced has succeeded. The namespaces that were
  /// unknown when it began are remembered as not sharded.
  void settle();

 private:
  void remember(std::size_t hash);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  refresh_requests requests_;
  // Hashes of the unknown namespaces that were reported since the last load began.
  std::unordered_set<std::size_t> asked_;
  std::unordered_set<std::size_t> asking_;   // those that the current load answers
  std::unordered_set<std::size_t> settled_;  // those that aren't sharded
  std::deque<std::size_t> settled_order_;    // the oldest first
  bool is_stopped_ = false;
};

}  // namespace scattergate::config
