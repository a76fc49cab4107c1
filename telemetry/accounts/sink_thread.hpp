#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/shapes/shape_details.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// A destination of counts, such as the audit log or the state file. The account passes it each
/// delta (a shape's new counts) once, after the digest has counted the delta. Slow work belongs
/// in run_turn(), which runs on the sink's own thread (sink_thread). A slow or failing sink
/// therefore doesn't affect the digest, the workers or other sinks.
class sink {
 public:
  using clock = std::chrono::steady_clock;

  sink() = default;
  virtual ~sink() = default;
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  /// Takes a delta (a shape's new counts). Either takes all of it, or throws std::bad_alloc and
  /// takes nothing; the account then retries. Runs on the account's thread, so it must not wait
  /// for a disk or a peer. Returns true to request a call of run_turn() now.
  virtual bool accept(const shape_delta& /*delta*/) { return false; }

  /// Called when the digest (the table of all shapes) has evicted the rows of these shapes.
  /// `shape_hashes`: in ascending order. Runs on the account's thread. Returns true to request
  /// a call of run_turn() now.
  virtual bool note_evicted(std::span<const std::uint64_t> /*shape_hashes*/) noexcept {
    return false;
  }

  /// The result of a turn (one call of run_turn()), and when the next turn is due.
  struct outcome {
    /// Success, or the problem. Empty: the turn had nothing to do, so the result of the
    /// previous turn still holds.
    std::optional<text::result<void>> done{};
    /// When the next turn is due, also after a problem; max(): only on request.
    clock::time_point next = clock::time_point::max();
  };

  /// Does the work that is due: one "turn". sink_thread calls it on the sink's own thread; it
  /// may block. An exception counts as a failure, and the turn is retried soon. `is_last`: no
  /// further turn follows.
  virtual outcome run_turn(bool is_last) = 0;
};

/// Runs a sink's turns (calls of sink::run_turn()) on a thread of its own: when a turn is due
/// or requested, and once more at the end. Counts failed turns, and raises a condition (a
/// problem to report) until a turn succeeds. Thread-safety: any thread.
class sink_thread {
 public:
  struct settings {
    std::string name;          ///< the thread's name
    condition_kind failing{};  ///< the condition to raise while turns fail
    std::string subject;       ///< the condition's subject, such as the sink's file
    condition_board* conditions = nullptr;           ///< null: no condition is raised
    std::atomic<std::uint64_t>* failures = nullptr;  ///< null: failures aren't counted
  };

  /// Doesn't start the thread. REQUIRES: close() is called before `of` is destroyed.
  sink_thread(sink& of, settings configured) : sink_(of), settings_(std::move(configured)) {}
  ~sink_thread() { close(); }
  sink_thread(const sink_thread&) = delete;
  sink_thread& operator=(const sink_thread&) = delete;

  /// Starts the thread; the first turn runs at once.
  void start();

  /// Requests a turn as soon as possible. Returns at once, even during a turn.
  void wake() noexcept;

  /// Requests the last turn and returns at once, so that several sinks finish in parallel. Call
  /// close() afterwards, which waits.
  void end_soon() noexcept;
  /// Waits until the last turn has run, at most until `deadline`. Returns whether it has run.
  /// REQUIRES: start() and end_soon() were called.
  [[nodiscard]] bool has_ended_by(sink::clock::time_point deadline);
  /// Requests the last turn, waits until it has run, and ends the thread.
  void close();

  /// The sink whose turns this thread runs.
  [[nodiscard]] sink& of() noexcept { return sink_; }

 private:
  /// Delay before retrying a turn that threw.
  static constexpr std::chrono::seconds try_again{2};
  static constexpr int last_tries = 3;  // attempts at the last turn if it throws

  void run();
  [[nodiscard]] bool take_turn(bool is_last, sink::clock::time_point& next) noexcept;
  void update_condition(const sink::outcome& of);

  sink& sink_;
  settings settings_;
  bool is_raised_ = false;  // the condition is raised; used only by the thread

  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  bool is_requested_ = false;
  bool is_closing_ = false;
  bool has_ended_ = false;  // the last turn has run

  std::mutex join_mutex_;
  std::thread thread_;
};

}  // namespace scattergate::telemetry
