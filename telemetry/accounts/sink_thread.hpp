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

/// The thread on which a sink has its turns: when one is due, when it asks for one, and a last
/// one at the end. Counts a turn that failed or threw, raises the sink's condition while that
/// lasts, and tries again. Thread-safety: any thread.
class sink_thread {
 public:
  struct settings {
    std::string name;                                ///< of the thread
    condition_kind failing{};                        ///< what is raised while its turns fail
    std::string subject;                             ///< of the condition: its file
    condition_board* conditions = nullptr;           ///< null: nothing is raised
    std::atomic<std::uint64_t>* failures = nullptr;  ///< null: nothing is counted
  };

  /// `of` must outlive it, and close() before that ends.
  sink_thread(sink& of, settings with) : sink_(of), settings_(std::move(with)) {}
  ~sink_thread() { close(); }
  sink_thread(const sink_thread&) = delete;
  sink_thread& operator=(const sink_thread&) = delete;

  /// Has its first turn at once.
  void start();

  /// Has a turn as soon as it can. Never waits for one that goes on.
  void wake() noexcept;

  /// Has its last turn. end_soon() doesn't wait for it, so that several sinks end at the same
  /// time.
  void end_soon() noexcept;
  void close();

  [[nodiscard]] sink& of() noexcept { return sink_; }

 private:
  /// How soon a turn that threw is tried again.
  static constexpr std::chrono::seconds try_again{2};
  static constexpr int last_tries = 3;

  void run();
  [[nodiscard]] bool take_turn(bool is_last, sink::clock::time_point& next) noexcept;
  void tell(const sink::outcome& of);

  sink& sink_;
  settings settings_;
  bool is_told_ = false;  // the board has it; the thread's own

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool is_wanted_ = false;
  bool is_closing_ = false;

  std::mutex join_mutex_;
  std::thread thread_;
};

}  // namespace scattergate::telemetry
