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

/// What workers tell a live catalog, and what it waits for: that a command has changed
/// collections or chunks, and that a command names a collection that the catalog doesn't list.
/// Namespaces that turned out not to be sharded are remembered, as many as there is room for,
/// and asked about no more.
/// Thread-safety: any thread. A mutex: for what happens seldom.
class catalog_notes {
 public:
  using clock = refresh_pacer::clock;

  void note_ddl();
  void note_unknown(std::string_view database, std::string_view name);
  void force();  ///< a load of everything, at once
  void stop();   ///< await() returns at once from now on

  [[nodiscard]] bool is_stopped() const;

  /// Namespaces noted that no load has begun to answer.
  [[nodiscard]] std::size_t asked() const;

  /// Waits until the pacer's next turn has come, or stop(). Returns the turn's reason and takes
  /// the wishes that it fulfils.
  [[nodiscard]] load_trigger await(const refresh_pacer& pacer);

  /// Notes that a load that began after await() has succeeded: what was unknown then is not
  /// sharded.
  void settle();

 private:
  void remember(std::size_t hash);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  refresh_wishes wishes_;
  std::unordered_set<std::size_t> asked_;    // hashes of namespaces noted since the last turn
  std::unordered_set<std::size_t> asking_;   // those that the load under way answers
  std::unordered_set<std::size_t> settled_;  // those that were answered
  std::deque<std::size_t> settled_order_;    // the oldest first
  bool is_stopped_ = false;
};

}  // namespace scattergate::config
