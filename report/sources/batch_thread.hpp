#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace scattergate::report {

/// Takes batches on a thread of its own, in the order in which they were handed over, while the
/// caller fills the next. Whoever hands over waits where the other is `most` batches behind, so
/// that memory doesn't grow with the source. Where there is no thread to be had, all of it
/// happens on the caller's.
/// A batch has clear(); what it had before stays its memory.
/// Thread-safety: one thread at a time fills and hands over; `take` is called by the other one,
/// until finish() has returned.
template <typename Batch>
class batch_thread {
 public:
  using taker = std::function<void(const Batch&)>;
  static constexpr std::size_t most = 8;  ///< handed over and not taken yet

  explicit batch_thread(taker take) : take_(std::move(take)) {
    try {
      thread_ = std::thread{[this] { run(); }};
    } catch (const std::system_error&) {
      // hand_over() takes on the caller's thread.
    }
  }

  ~batch_thread() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock{mutex_};
      is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  batch_thread(const batch_thread&) = delete;
  batch_thread& operator=(const batch_thread&) = delete;

  /// The batch to fill; another after hand_over().
  [[nodiscard]] Batch& filling() noexcept { return batches_[filling_]; }

  void hand_over() {
    if (!thread_.joinable()) {
      take_(filling());
      return filling().clear();
    }
    std::unique_lock lock{mutex_};
    ++handed_;
    changed_.notify_one();
    filling_ = (filling_ + 1) % batches_.size();
    // Waiting costs a change of threads: so there is more than one batch to fill when it ends.
    if (handed_ == most) changed_.wait(lock, [this] { return handed_ <= most / 2; });
  }

  /// Returns when all has been taken, what the caller has filled too. Throws what `take` threw.
  void finish() {
    hand_over();
    {
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [this] { return handed_ == 0; });
    }
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void run() {
    std::unique_lock lock{mutex_};
    for (std::size_t taken = 0;; taken = (taken + 1) % batches_.size()) {
      changed_.wait(lock, [this] { return handed_ != 0 || is_over_; });
      if (handed_ == 0) return;
      lock.unlock();
      take(batches_[taken]);
      lock.lock();
      --handed_;
      if (handed_ == most / 2 || handed_ == 0) changed_.notify_one();
    }
  }

  void take(Batch& one) {
    try {
      if (!failure_) take_(one);
    } catch (...) {
      failure_ = std::current_exception();
    }
    one.clear();
  }

  taker take_;
  std::array<Batch, most + 1> batches_;
  std::size_t filling_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t handed_ = 0;  // these two under mutex_
  bool is_over_ = false;
  std::exception_ptr failure_;  ///< the second thread's while there is anything handed over
  std::thread thread_;
};

}  // namespace scattergate::report
