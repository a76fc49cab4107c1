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

/// Does long work for a worker, a piece at a time, so that nobody else waits for it. The thread
/// begins with the first; where there is none to be had, the caller's does it.
class long_work_thread {
 public:
  explicit long_work_thread(std::string name) : name_(std::move(name)) {}
  /// Waits for the piece in hand.
  ~long_work_thread();
  long_work_thread(const long_work_thread&) = delete;
  long_work_thread& operator=(const long_work_thread&) = delete;

  /// Does a piece of `what`, then calls `on_done`, on the thread that did it, with whether it
  /// is over. Throws std::bad_alloc.
  /// REQUIRES: what was asked before has been told, and nobody reads what came of it any more.
  void advance(long_work& what, std::function<void(bool)> on_done);

  /// What the last piece has computed. REQUIRES: on_done was called, and no other piece is
  /// asked for.
  [[nodiscard]] std::chrono::nanoseconds took() const noexcept { return took_; }

 private:
  void run();
  void do_piece() noexcept;

  const std::string name_;
  std::unique_ptr<judging_memory> memory_;  ///< from the first work on
  long_work* in_hand_ = nullptr;
  std::function<void(bool)> on_done_;
  std::chrono::nanoseconds took_{0};
  std::counting_semaphore<> asked_{0};
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace scattergate::proxy
