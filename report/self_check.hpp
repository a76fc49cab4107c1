#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "config/mongo_reader.hpp"
#include "report/verifier.hpp"
#include "telemetry/check_queue.hpp"
#include "telemetry/rate_gate.hpp"

namespace scattergate::report {

/// The standing self-check: a thread that has mongos explain the finds that workers leave for
/// it, over a connection of its own, and counts whether the plan is what the verdict says. One
/// explain is under way at a time. A disagreement is looked at again before it counts: at once,
/// and where the catalog is a live one when that has had the time to follow a chunk that moved.
/// Thread-safety: construct and destroy from one thread.
class self_check {
 public:
  using clock = std::chrono::steady_clock;

  struct parts {
    telemetry::check_queue& queue;
    std::function<std::shared_ptr<const routing::catalog>()> catalog;  ///< as it is now
    std::function<config::mongo_result<std::unique_ptr<config::mongo_reader>>()> open;

    /// How long a disagreement waits for another catalog; zero: it doesn't.
    std::chrono::milliseconds patience{0};
  };

  explicit self_check(parts given);
  ~self_check();  ///< waits for the explain that is under way

 private:
  /// A disagreement that may be a chunk that moved.
  struct doubt {
    std::vector<std::byte> command;
    std::shared_ptr<const routing::catalog> judged_by;
    clock::time_point until;
  };

  void run();
  void check_one(std::vector<std::byte> command, bool is_last_look);
  void look_again();
  [[nodiscard]] bool connect();
  void count(const explainable& what, const check& done);
  void report_failure(const config::mongo_error& error);
  void report_disagreement(const explainable& what, const check& done);

  parts parts_;
  std::unique_ptr<config::mongo_reader> mongos_;
  std::unique_ptr<verifier> verifier_;  // of mongos_
  std::deque<doubt> doubts_;
  telemetry::rate_gate disagreement_lines_;
  telemetry::rate_gate failure_lines_;
  std::int64_t unlogged_disagreements_ = 0;
  std::int64_t unlogged_failures_ = 0;
  std::thread thread_;
};

}  // namespace scattergate::report
