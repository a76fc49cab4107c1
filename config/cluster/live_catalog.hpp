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

/// How a live catalog is kept.
struct live_catalog_settings {
  /// Connects anew: at first, and after every failure.
  std::function<mongo_result<std::unique_ptr<mongo_reader>>()> open;
  std::chrono::milliseconds refresh{30'000};
  mirror_bounds most;
};

/// Whom a live catalog tells what. Called on its thread, one at a time, and no more once its
/// destructor has been entered.
struct live_catalog_events {
  std::function<void(std::shared_ptr<const routing::catalog>)> on_catalog;
  std::function<void(const load_outcome&)> on_load;
  std::function<void()> on_thread = [] {};  ///< first of all
};

/// A catalog that follows a cluster: a thread of its own reads its `config` database through a
/// mongos, as often as refresh_pacer says, and hands over a new snapshot where anything has
/// changed. Where a load fails, the last snapshot stays.
/// Thread-safety: construct and destroy from one thread; notes() may be used from any.
class live_catalog {
 public:
  live_catalog(live_catalog_settings settings, live_catalog_events events,
               std::shared_ptr<catalog_notes> notes, std::shared_ptr<catalog_facts> facts);

  /// Ends the thread. One that waits for a mongos to answer is left to itself after a moment:
  /// the driver's calls can't be cut short.
  ~live_catalog();

  live_catalog(const live_catalog&) = delete;
  live_catalog& operator=(const live_catalog&) = delete;

 private:
  struct shared;
  std::shared_ptr<shared> shared_;  // with the thread, which may outlive us
  std::thread thread_;
};

}  // namespace scattergate::config
