#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "config/driver/mongo_reader.hpp"
#include "routing/catalog/catalog.hpp"
#include "telemetry/samples/check_queue.hpp"

namespace scattergate::report {

/// The continuous self-check. A thread has mongos explain finds that workers leave for it, over
/// its own connection, and counts whether the plan matches the verdict. One explain runs at a
/// time. A disagreement is checked again before it counts: at once, and with a live catalog
/// also after that has had time to follow a moved chunk. Thread-safety: construct and destroy
/// from one thread.
class self_check {
 public:
  struct parts {
    std::shared_ptr<telemetry::check_queue> queue;
    /// returns the current catalog
    std::function<std::shared_ptr<const routing::catalog>()> catalog;
    std::function<config::mongo_result<std::unique_ptr<config::mongo_reader>>()> open;

    /// The time that a disagreement waits for a newer catalog; 0: not at all.
    std::chrono::milliseconds patience{0};
  };

  explicit self_check(parts given);

  /// Ends the thread. If it waits for mongos, it is detached after a moment, because the
  /// driver's calls can't be interrupted. `catalog` isn't called afterwards.
  ~self_check();

  self_check(const self_check&) = delete;
  self_check& operator=(const self_check&) = delete;

 private:
  class checker;
  std::shared_ptr<checker> checker_;  // shared with the thread, which may live longer
  std::thread thread_;
};

}  // namespace scattergate::report
