#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "config/cluster/catalog_facts.hpp"
#include "config/cluster/catalog_notes.hpp"
#include "config/cluster/cluster_mirror.hpp"
#include "config/driver/mongo_reader.hpp"

namespace scattergate::config {

/// The connections, refresh interval and limits of a live_catalog.
struct live_catalog_settings {
  /// Opens a connection to a mongos, whose calls end if `stop` says so. Called for the first
  /// load, and for each load after a failed one or restart(). load_result::inconsistent isn't a
  /// failure, and keeps the connection.
  std::function<mongo_result<std::unique_ptr<mongo_reader>>(std::stop_token stop)> open;
  /// About the time from a successful load to the next one. catalog_notes can request an
  /// earlier load.
  std::chrono::milliseconds refresh{30'000};
  mirror_bounds bounds;  ///< limits of the records to keep
};

/// The callbacks of a live_catalog, which calls them on its own thread, one at a time.
struct live_catalog_events {
  /// Called with each new catalog.
  std::function<void(std::shared_ptr<const routing::catalog>)> on_catalog;
  std::function<void(const load_outcome&)> on_load;  ///< called after each load
  std::function<void()> on_thread = [] {};           ///< called once, when the thread starts
};

/// Keeps a catalog (which collections are sharded, and how) up to date with a cluster. A thread
/// of its own reads the cluster's database `config` through a mongos, at the times that
/// refresh_pacer determines. If anything changed, it publishes a new immutable catalog. If a
/// load fails, everything that was read before the failure stays in use. Publishes nothing
/// before it has read a first list of collections. Thread-safety: construct and destroy from
/// one thread.
class live_catalog {
 public:
  /// Starts the thread. Any thread may request a load through `notes`. `facts` receives the
  /// catalog's state, for metrics and the page.
  live_catalog(live_catalog_settings settings, live_catalog_events events,
               std::shared_ptr<catalog_notes> notes, std::shared_ptr<catalog_facts> facts);

  /// Ends a call to mongos, and the thread.
  ~live_catalog();

  live_catalog(const live_catalog&) = delete;
  live_catalog& operator=(const live_catalog&) = delete;

  /// Ends a call to mongos and the connection, and reads everything again over a new one.
  void restart();

 private:
  void run();
  load_result load(load_order order, load_depth depth);
  load_outcome load_now(load_depth depth);
  [[nodiscard]] mongo_result<void> connect();
  [[nodiscard]] bool must_end_load() const;

  live_catalog_settings settings_;
  live_catalog_events events_;
  std::shared_ptr<catalog_notes> notes_;
  std::shared_ptr<catalog_facts> facts_;
  cluster_mirror mirror_;
  std::unique_ptr<mongo_reader> reader_;  // null: not connected
  load_focus focus_;                      // what the next load must read again
  std::stop_token stop_now_;              // ends reader_'s calls; used only by the thread
  std::mutex mutex_;                      // guards stop_
  std::stop_source stop_;                 // of stop_now_, or of the next connection
  std::thread thread_;
};

}  // namespace scattergate::config
