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

/// Collects all counts: takes what workers hand over, adds it to the digest, and passes each
/// delta to every sink exactly once. If a sink runs out of memory, it gets the delta again, and
/// finally the part that needs no memory, so sums stay exact. Thread-safety: any thread may
/// hand over; an own thread adds.
class account {
 public:
  /// All arguments must outlive this object.
  account(live_digest& into, std::vector<sink_thread*> sinks);
  ~account();  ///< calls close()
  account(const account&) = delete;
  account& operator=(const account&) = delete;

  /// Deltas per hand-over, and how many may wait before workers should keep further ones.
  static constexpr std::size_t batch = 256;
  static constexpr std::size_t most_waiting = 16 * batch;

  /// Whether deltas should be handed over now.
  [[nodiscard]] bool has_room() const noexcept {
    return waiting_.load(std::memory_order_relaxed) < most_waiting;
  }

  /// Hands over counted deltas, whatever has_room() says. Returns at once.
  void submit(std::vector<shape_delta> deltas);

  /// Adds everything handed over, ends the thread, and starts the last turn of each sink.
  void close();

 private:
  using batches = std::vector<std::vector<shape_delta>>;

  void run();
  void add(const shape_delta& delta);

  live_digest& digest_;
  std::vector<sink_thread*> sinks_;
  std::vector<bool> asks_;  // by sink: whether it requested a turn; used only by the thread
  std::atomic<std::size_t> waiting_{0};

  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  batches inbox_;  // as handed over; elements never move
  bool is_closing_ = false;

  std::mutex join_mutex_;
  std::thread thread_;
};

}  // namespace scattergate::telemetry
