#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "telemetry/accounts/sink.hpp"
#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::telemetry {

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
