#pragma once

#include <chrono>
#include <functional>
#include <memory>
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
  /// Opens a connection to a mongos. Called for the first load, and for each load after a
  /// failed one. load_result::inconsistent isn't a failure, and keeps the connection.
  std::function<mongo_result<std::unique_ptr<mongo_reader>>()> open;
  /// About the time from a successful load to the next one. catalog_notes can request an
  /// earlier load.
  std::chrono::milliseconds refresh{30'000};
  mirror_bounds bounds;  ///< limits of the records to keep
};

/// The callbacks of a live_catalog, which calls them on its own thread, one at a time, and
/// never after its destructor has begun.
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

  /// Ends the thread. Waits at most a second for a call to mongos, because the driver's calls
  /// can't be interrupted; then detaches the thread (see threads_left).
  ~live_catalog();

  live_catalog(const live_catalog&) = delete;
  live_catalog& operator=(const live_catalog&) = delete;

 private:
  struct shared;
  std::shared_ptr<shared> shared_;  // shared with the thread, which may outlive this object
  std::thread thread_;
};

}  // namespace scattergate::config
