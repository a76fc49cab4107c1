#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "config/driver/mongo_reader.hpp"
#include "routing/catalog/catalog.hpp"
#include "telemetry/samples/check_queue.hpp"

namespace scattergate::report {

/// The continuous self-check. Its thread takes find commands from a queue that workers fill,
/// has mongos explain them over a connection of its own, and counts whether the plans match the
/// verdicts. One explain runs at a time. A disagreement is checked again before it counts: at
/// once, and with a live catalog also after parts::patience, because a chunk may have moved.
/// Thread-safety: construct and destroy from one thread.
class self_check {
 public:
  struct parts {
    std::shared_ptr<telemetry::check_queue> queue;
    /// returns the current catalog
    std::function<std::shared_ptr<const routing::catalog>()> catalog;
    /// opens the connection to mongos; called again after a failure
    std::function<config::mongo_result<std::unique_ptr<config::mongo_reader>>()> open;

    /// The time that a disagreement waits for a newer catalog; 0: not at all.
    std::chrono::milliseconds patience{0};
  };

  explicit self_check(parts given);

  /// Ends the thread. If the thread waits for mongos, detaches it after a moment, because the
  /// driver's calls can't be interrupted. parts::catalog isn't called afterwards.
  ~self_check();

  self_check(const self_check&) = delete;
  self_check& operator=(const self_check&) = delete;

 private:
  class checker;
  std::shared_ptr<checker> checker_;  // shared with the thread, which may live longer
  std::thread thread_;
};

}  // namespace scattergate::report
