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

/// The connections and refresh intervals of a live catalog.
struct live_catalog_settings {
  /// Opens a connection: for the first load, and after every failure.
  std::function<mongo_result<std::unique_ptr<mongo_reader>>()> open;
  std::chrono::milliseconds refresh{30'000};
  mirror_bounds most;
};

/// The callbacks of a live catalog. The catalog calls them on its own thread, one at a time,
/// and never after its destructor has begun.
struct live_catalog_events {
  /// Called with each new catalog.
  std::function<void(std::shared_ptr<const routing::catalog>)> on_catalog;
  std::function<void(const load_outcome&)> on_load;  ///< called after each load
  std::function<void()> on_thread = [] {};           ///< called once, when the thread starts
};

/// A catalog that follows a cluster. Its own thread reads the cluster's `config` database
/// through a mongos at the times that refresh_pacer determines, and publishes a new snapshot if
/// anything changed. If a load fails, the last snapshot stays in use. Thread-safety: construct
/// and destroy from one thread.
class live_catalog {
 public:
  /// Starts the thread. Through `notes`, any thread may request a load. `facts` receives the
  /// catalog's state, for the metrics.
  live_catalog(live_catalog_settings settings, live_catalog_events events,
               std::shared_ptr<catalog_notes> notes, std::shared_ptr<catalog_facts> facts);

  /// Ends the thread. If the thread waits for a mongos, the destructor detaches it after a
  /// second: the driver's calls can't be interrupted.
  ~live_catalog();

  live_catalog(const live_catalog&) = delete;
  live_catalog& operator=(const live_catalog&) = delete;

 private:
  struct shared;
  std::shared_ptr<shared> shared_;  // shared with the thread, which may outlive this object
  std::thread thread_;
};

}  // namespace scattergate::config
