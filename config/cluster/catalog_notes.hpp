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

/// Reports from workers to a live catalog, which waits for them: that a command changed
/// collections or chunks, and that a command names a collection that the catalog doesn't list.
/// Namespaces that turn out not to be sharded are remembered, up to a limit, and trigger no
/// further load. Thread-safety: any thread; a mutex guards these rare events.
class catalog_notes {
 public:
  using clock = refresh_pacer::clock;

  void note_ddl();
  void note_unknown(std::string_view database, std::string_view name);
  void force();  ///< requests a load of everything, at once
  void stop();   ///< makes await() return at once from now on

  [[nodiscard]] bool is_stopped() const;

  /// The number of unknown namespaces that no load has begun to answer.
  [[nodiscard]] std::size_t asked() const;

  /// Waits until the pacer's next load is due, or stop(). Returns its reason and removes the
  /// requests that it answers.
  [[nodiscard]] load_trigger await(const refresh_pacer& pacer);

  /// To be called when the load that await() started has succeeded: namespaces that were
  /// unknown when it began aren't sharded.
  void settle();

 private:
  void remember(std::size_t hash);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  refresh_requests requests_;
  // Hashes of the namespaces reported since the last load began.
  std::unordered_set<std::size_t> asked_;
  std::unordered_set<std::size_t> asking_;   // those that the current load answers
  std::unordered_set<std::size_t> settled_;  // those that were answered
  std::deque<std::size_t> settled_order_;    // the oldest first
  bool is_stopped_ = false;
};

}  // namespace scattergate::config
