#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "config/driver/mongo_reader.hpp"
#include "routing/catalog/catalog.hpp"
#include "telemetry/samples/check_queue.hpp"

namespace scattergate::report {

/// The standing self-check: a thread that has mongos explain the finds that workers leave for
/// it, over a connection of its own, and counts whether the plan is what the verdict says. One
/// explain is under way at a time. A disagreement is looked at again before it counts: at once,
/// and where the catalog is a live one when that has had the time to follow a chunk that moved.
/// Thread-safety: construct and destroy from one thread.
class self_check {
 public:
  struct parts {
    std::shared_ptr<telemetry::check_queue> queue;
    std::function<std::shared_ptr<const routing::catalog>()> catalog;  ///< as it is now
    std::function<config::mongo_result<std::unique_ptr<config::mongo_reader>>()> open;

    /// How long a disagreement waits for another catalog; zero: it doesn't.
    std::chrono::milliseconds patience{0};
  };

  explicit self_check(parts given);

  /// Ends the thread. One that waits for mongos to answer is left to itself after a moment: the
  /// driver's calls can't be cut short. `catalog` isn't called any more.
  ~self_check();

  self_check(const self_check&) = delete;
  self_check& operator=(const self_check&) = delete;

 private:
  class checker;
  std::shared_ptr<checker> checker_;  // with the thread, which may outlive us
  std::thread thread_;
};

}  // namespace scattergate::report
