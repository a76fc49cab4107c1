#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "telemetry/accounts/sink_thread.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "telemetry/shapes/shape_details.hpp"

namespace scattergate::telemetry {

/// Where everything that is counted adds up: takes what workers hand over, adds it to the
/// digest, and gives it to the sinks, each delta once to each of them. Where memory fails one,
/// that one gets the delta again, and then what of it needs no memory: sums stay exact.
/// Thread-safety: any thread may hand over; one thread of its own adds.
class account {
 public:
  /// All must outlive it.
  account(live_digest& into, std::vector<sink_thread*> sinks);
  ~account();  ///< closes
  account(const account&) = delete;
  account& operator=(const account&) = delete;

  /// How many deltas are handed over at once, and how many wait before further ones should
  /// rather wait where they are counted.
  static constexpr std::size_t batch = 256;
  static constexpr std::size_t most_waiting = 16 * batch;

  /// Whether deltas should be handed over now.
  [[nodiscard]] bool has_room() const noexcept {
    return waiting_.load(std::memory_order_relaxed) < most_waiting;
  }

  /// Hands over what was counted, has_room() or not; returns at once.
  void submit(std::vector<shape_delta> deltas);

  /// Adds all that was handed over and ends the thread; then the sinks begin their last turns.
  void close();

 private:
  using batches = std::vector<std::vector<shape_delta>>;

  void run();
  void add(const shape_delta& delta);

  live_digest& digest_;
  std::vector<sink_thread*> sinks_;
  std::vector<bool> asks_;  // of each sink: whether it asked for a turn; the thread's own
  std::atomic<std::size_t> waiting_{0};

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  batches inbox_;  // as handed over: nothing is moved under it
  bool is_closing_ = false;

  std::mutex join_mutex_;
  std::thread thread_;
};

}  // namespace scattergate::telemetry
