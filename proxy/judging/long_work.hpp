#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <semaphore>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "routing/scratch.hpp"

namespace scattergate::proxy {

/// The scratch memory of a thread that judges commands. Judging a command overwrites the
/// results of the previous one.
class judging_memory {
 public:
  judging_memory() = default;
  judging_memory(const judging_memory&) = delete;
  judging_memory& operator=(const judging_memory&) = delete;

  /// The memory for computing the verdict. The verdict points into this memory.
  [[nodiscard]] routing::scratch& verdict() noexcept { return verdict_; }
  /// The memory for all that is computed while the verdict is still needed, such as the shape.
  [[nodiscard]] routing::scratch& shape() noexcept { return shape_; }

 private:
  using block = std::unique_ptr<std::byte[]>;
  static block make_block() {
    return std::make_unique_for_overwrite<std::byte[]>(routing::scratch_bytes);
  }

  block verdict_block_ = make_block();
  block shape_block_ = make_block();
  routing::scratch verdict_{{verdict_block_.get(), routing::scratch_bytes}};
  routing::scratch shape_{{shape_block_.get(), routing::scratch_bytes}};
};

/// The CPU time that the calling thread has used since it started.
[[nodiscard]] inline std::chrono::nanoseconds computed() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

/// A long computation on one large message. A long_work_thread runs it in pieces, while the
/// worker serves other connections. Thread-safety: one thread at a time.
class long_work {
 public:
  long_work() = default;
  long_work(const long_work&) = delete;
  long_work& operator=(const long_work&) = delete;
  virtual ~long_work() = default;

  /// Does one piece of the work, in 40 ms at most. Returns true once the work has completed.
  /// The work's result may point into `memory`, and is valid until the next piece of any work
  /// uses `memory`.
  [[nodiscard]] virtual bool advance(judging_memory& memory) noexcept = 0;
};

/// A waiter's state in a long_work_queue. The waiter keeps the ticket between turns; a default
/// ticket is for a new waiter.
struct long_work_ticket {
  std::chrono::nanoseconds next{0};  ///< the earliest start time of the waiter's next turn, in
                                     ///< virtual time (see long_work_queue)
};

/// A fair queue for a resource that serves one waiter at a time; each use is a turn. Known
/// clients come before strangers (see client_identity::is_stranger()). If a stranger waits, at
/// least every eighth turn is a stranger's, so that strangers don't starve.
///
/// Within known clients, and within strangers, the order is start-time fair queueing (Goyal,
/// Vin and Cheng, 1996): the waiter with the smallest start time is next. Start times are in
/// virtual time, which both groups share: the virtual time is the largest start time of all
/// turns so far. A new waiter's start time is the current virtual time. A returning waiter's
/// start time is the virtual time of its last turn plus that turn's duration, but at least the
/// current virtual time.
///
/// Thread-safety: one thread at a time.
template <typename Waiter>
class long_work_queue {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return known_.empty() && strangers_.empty(); }

  /// Adds a waiter. `ticket`: this waiter's ticket. Throws std::bad_alloc.
  void push(Waiter waiter, const long_work_ticket& ticket, bool is_stranger) {
    line& at = is_stranger ? strangers_ : known_;
    at.emplace(std::max(ticket.next, now_), std::move(waiter));
  }

  /// Removes and returns the waiter whose turn it is. REQUIRES: the queue isn't empty.
  [[nodiscard]] Waiter pop() noexcept {
    const bool is_strangers =
        known_.empty() || (!strangers_.empty() && known_in_a_row_ == most_in_a_row);
    known_in_a_row_ = is_strangers ? 0 : std::min(known_in_a_row_ + 1, most_in_a_row);
    line& from = is_strangers ? strangers_ : known_;
    const auto next = from.begin();
    now_ = std::max(now_, next->first);
    Waiter taken = std::move(next->second);
    from.erase(next);
    return taken;
  }

  /// Ends the turn of the waiter that pop() returned last. `ticket`: this waiter's ticket.
  /// `took`: the duration of the turn.
  void end_turn(long_work_ticket& ticket, std::chrono::nanoseconds took) noexcept {
    ticket.next = now_ + took;
  }

  /// Removes the waiters for which `is_gone` returns true.
  template <typename Predicate>
  void erase_if(Predicate is_gone) {
    for (line* each : {&known_, &strangers_}) {
      std::erase_if(*each, [&](const auto& waiting) { return is_gone(waiting.second); });
    }
  }

 private:
  static constexpr std::size_t most_in_a_row = 7;
  // By start time. At equal start times: first come, first served.
  using line = std::multimap<std::chrono::nanoseconds, Waiter>;

  line known_;
  line strangers_;
  std::chrono::nanoseconds now_{0};  // the virtual time
  std::size_t known_in_a_row_ = 0;   // turns of known clients since the last stranger's
};

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
