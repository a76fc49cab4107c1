#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "telemetry/accounts/sink_thread.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "telemetry/shapes/shape_details.hpp"
#include "telemetry/sketches/sketch_book.hpp"

namespace scattergate::telemetry {

/// Adds up the counts of all workers. A worker hands over deltas: a delta (shape_delta) has a
/// shape's counts since the worker's last hand-over. The account's thread adds each delta to
/// the digest (the table of all shapes), then passes it to every sink (such as the audit log)
/// exactly once. If there is no memory for a delta, the thread waits until there is; workers
/// keep their counts meanwhile (see has_room()). Thread-safety: any thread may hand over.
class account {
 public:
  /// Starts the thread. All arguments must outlive this object. `sketches`: null if sketches
  /// are off.
  account(live_digest& into, std::vector<sink_thread*> sinks, sketch_book* sketches = nullptr);
  ~account();  ///< calls close()
  account(const account&) = delete;
  account& operator=(const account&) = delete;

  /// The maximum number of deltas that a worker should hand over at once.
  static constexpr std::size_t batch = 256;
  /// The number of waiting deltas from which has_room() returns false.
  static constexpr std::size_t most_waiting = 16 * batch;

  /// Whether workers should hand over deltas now. If not, they keep counting and ask again
  /// later.
  [[nodiscard]] bool has_room() const noexcept {
    return waiting_.load(std::memory_order_relaxed) < most_waiting;
  }

  /// Hands over deltas; works even if has_room() is false. Doesn't wait for the thread.
  void submit(std::vector<shape_delta> deltas);

  /// Hands over a batch of statements, whose values the account's thread adds to the sketches.
  /// Returns an empty batch to fill next; it has no capacity if memory has run out. If 16
  /// batches wait already, the calling thread adds the values itself. REQUIRES: sketches are
  /// on.
  [[nodiscard]] sketch_batch exchange(sketch_batch filled) noexcept;

  /// Waits until everything that was handed over before the call has been added. Returns false
  /// if `deadline` passes first.
  [[nodiscard]] bool wait_until_added(std::chrono::steady_clock::time_point deadline);

  /// Ends the thread after it has added everything that was handed over, except for deltas for
  /// which there is no memory for two seconds. Then requests the last
  /// turn of each sink (sink::run_turn()), and doesn't wait for it.
  void close();

 private:
  using batches = std::vector<std::vector<shape_delta>>;
  /// The maximum number of waiting batches of statements, and of empty batches for reuse.
  static constexpr std::size_t most_sketched = 16;

  void run();
  void add_sketched(std::vector<sketch_batch>& taken);
  void add(const shape_delta& delta);
  template <typename Work>
  [[nodiscard]] bool await_memory_for(const Work& work);

  live_digest& digest_;
  std::vector<sink_thread*> sinks_;
  sketch_book* sketches_;
  std::vector<bool> asks_;  // by sink: whether it requested a turn; used only by the thread
  std::atomic<std::size_t> waiting_{0};

  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  batches inbox_;                       // waiting deltas, as handed over; elements never move
  std::vector<sketch_batch> sketched_;  // waiting statements; has capacity for most_sketched
  std::vector<sketch_batch> spare_;     // empty batches; has capacity for most_sketched
  std::uint64_t handed_over_ = 0;       // number of batches, of deltas and of statements
  std::uint64_t added_ = 0;             // number of these batches that have been added
  std::condition_variable has_added_;
  bool is_closing_ = false;
  int last_tries_ = 200;  // while closing: how often to try again what has no memory (2 s)

  std::mutex join_mutex_;
  std::thread thread_;
};

}  // namespace scattergate::telemetry
