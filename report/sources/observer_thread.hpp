#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Processes batches on a thread of its own, in order, while the caller fills the next batch.
/// The caller waits when `most` batches are pending, so memory stays bounded. If no thread can
/// be started, everything runs on the caller's thread. A Batch needs a function clear(), which
/// may keep allocated memory. Thread-safety: one thread at a time fills and hands over batches.
/// `take` runs on the second thread, so don't use its data elsewhere until finish() has
/// returned.
template <typename Batch>
class batch_thread {
 public:
  using taker = std::function<void(const Batch&)>;
  static constexpr std::size_t most = 8;  ///< maximum number of pending batches

  /// `take` processes one batch. If it throws, later batches are dropped until finish().
  /// If no thread can be started, hand_over() calls `take` itself, and throws what it throws.
  explicit batch_thread(taker take) : take_(std::move(take)) {
    try {
      thread_ = std::thread{[this] { run(); }};
    } catch (const std::system_error&) {
      // hand_over() calls take on the caller's thread.
    }
  }

  /// Waits until the pending batches are processed. Drops the batch that isn't handed over, and
  /// an exception of `take`.
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

  /// The batch to fill; hand_over() replaces it with another, empty batch.
  [[nodiscard]] Batch& filling() noexcept { return batches_[filling_]; }

  /// Passes the filled batch to the thread. Waits if too many batches are pending.
  void hand_over() {
    if (!thread_.joinable()) {
      take_(filling());
      return filling().clear();
    }
    std::unique_lock lock{mutex_};
    ++handed_;
    changed_.notify_one();
    filling_ = (filling_ + 1) % batches_.size();
    // Waiting costs a thread switch, so wait until several batches are free.
    if (handed_ == most) changed_.wait(lock, [this] { return handed_ <= most / 2; });
  }

  /// Hands over the last batch and waits until all are processed. Rethrows the first exception
  /// of `take`, if any.
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
  std::size_t handed_ = 0;  // guarded by mutex_, as is the next member
  bool is_over_ = false;
  std::exception_ptr failure_;  ///< used only by the second thread while batches are pending
  std::thread thread_;
};

/// Passes commands in batches to another observer, the target, on a second thread. So one core
/// reads while another one judges. Keeps the order of commands, rows and digests; counts
/// skipped parts after the commands of their batch. Ignores digests of shard requests.
/// Thread-safety: one thread at a time calls this object. Don't use the target elsewhere until
/// finish() has returned.
class observer_thread final : public observer {
 public:
  /// `to`: the target, which must outlive this object.
  explicit observer_thread(observer& to);

  void on_command(const observation& seen) override;
  void on_given(observation&& seen) override;
  void on_row(const digest::row& judged) override;
  void on_digest(const digest::table& judged) override;
  void on_skipped(skip_reason why) override;

  /// Waits until the target has received everything. Rethrows the target's exception, if any.
  void finish() { thread_.finish(); }

 private:
  struct batch {
    std::vector<observation> seen;  ///< the first `count` are in use; add() reuses the rest
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::array<std::uint64_t, skip_reason_count> skipped{};

    void add(observation&& one);
    void clear() noexcept;
  };

  void deliver(const batch& what);

  observer& to_;
  batch_thread<batch> thread_;
};

}  // namespace scattergate::report
