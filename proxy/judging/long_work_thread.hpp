#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>

#include "proxy/judging/long_work.hpp"

namespace scattergate::proxy {

/// A worker's second thread. It runs long work on large messages, one piece at a time, so that
/// other clients don't wait for this work. The thread is created for the first piece. If it
/// can't be created, the caller's thread does the piece.
class long_work_thread {
 public:
  /// `name`: the thread's name.
  explicit long_work_thread(std::string name) : name_(std::move(name)) {}
  /// Waits until the current piece has ended.
  ~long_work_thread();
  long_work_thread(const long_work_thread&) = delete;
  long_work_thread& operator=(const long_work_thread&) = delete;

  /// Runs one piece of `what` on this object's thread, or on the calling thread if no thread
  /// can be created. Then calls `on_done` on the same thread, with the result of
  /// long_work::advance(). `what` must live until then. Throws std::bad_alloc. REQUIRES: the
  /// previous piece has ended, and the previous work's result is no longer needed.
  void advance(long_work& what, std::function<void(bool)> on_done);

  /// The CPU time of the last piece. REQUIRES: the last piece has ended.
  [[nodiscard]] std::chrono::nanoseconds took() const noexcept { return took_; }

 private:
  void run();
  void do_piece() noexcept;

  const std::string name_;
  std::unique_ptr<judging_memory> memory_;  ///< allocated for the first work
  long_work* in_hand_ = nullptr;
  std::function<void(bool)> on_done_;
  std::chrono::nanoseconds took_{0};
  std::counting_semaphore<> asked_{0};
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace scattergate::proxy
