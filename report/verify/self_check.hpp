#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "config/driver/mongo_reader.hpp"
#include "routing/catalog/catalog.hpp"
#include "telemetry/samples/check_queue.hpp"

namespace scattergate::report {

/// The daemon's continuous self-check. A thread takes find commands from a queue that workers
/// fill. It asks mongos to explain them, one at a time, over a separate connection, and counts
/// whether the plans match the verdicts. Because a chunk may have moved, a disagreement is
/// checked again before it counts: at once, and again when the catalog has changed or
/// parts::patience has passed. Construct and destroy this object from one thread.
class self_check {
 public:
  struct parts {
    std::shared_ptr<telemetry::check_queue> queue;  ///< the commands to check, and the counts
    /// Returns the current catalog.
    std::function<std::shared_ptr<const routing::catalog>()> catalog;
    /// Opens the connection to mongos, whose calls end if `stop` says so. Called again after a
    /// failure.
    std::function<config::mongo_result<std::unique_ptr<config::mongo_reader>>(
        std::stop_token stop)>
        open;

    /// How long a disagreement waits for a newer catalog before its last check; 0: no wait.
    std::chrono::milliseconds patience{0};
  };

  explicit self_check(parts given);

  /// Ends a call to mongos, and the thread.
  ~self_check();

  self_check(const self_check&) = delete;
  self_check& operator=(const self_check&) = delete;

 private:
  class checker;
  std::unique_ptr<checker> checker_;
  std::thread thread_;
};

}  // namespace scattergate::report
