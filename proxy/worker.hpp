#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "net/event_loop.hpp"
#include "net/work_meter.hpp"
#include "proxy/acceptor.hpp"
#include "proxy/connection_counts.hpp"
#include "proxy/fault_notes.hpp"
#include "proxy/judging/command_taps.hpp"
#include "proxy/judging/inspector.hpp"
#include "proxy/judging/long_work_thread.hpp"
#include "proxy/session/session.hpp"
#include "proxy/settings.hpp"
#include "proxy/turn_queue.hpp"
#include "proxy/upstream/upstream.hpp"
#include "telemetry/memory_budget.hpp"

namespace scattergate::proxy {

/// The parts of a daemon that its workers share. Thread-safety: any thread.
struct shared_parts {
  telemetry::metrics_collector& metrics;
  telemetry::account& account;
  telemetry::memory_budget& memory;
  connection_counts& connections;
  command_taps& taps;
  std::size_t max_shapes = 0;  ///< limit for known clients' shapes; strangers have separate
                               ///< places
  fault_notes::reporter report_faults = [](std::vector<fault>) {};  ///< called on any thread
  telemetry::stranger_places* strangers = nullptr;  ///< null: no places for strangers
  telemetry::sketch_book* sketches = nullptr;       ///< null: values aren't sketched
};

/// One thread with its own event loop and listening sockets: accepts connections and runs their
/// sessions. The kernel distributes connections at random, so it hands an accepted one to the
/// worker with the fewest if that has clearly fewer. On a command's path, workers share only
/// the cursor table and the throttles. A second thread does long work on large messages.
/// Thread-safety: call public functions from any thread.
class worker final : private session_host, private throttle::waker {
 public:
  /// Throws std::system_error if the kernel refuses the engine.
  worker(std::string name, const shared_parts& parts,
         net::engine_kind engine = net::engine_kind::epoll);
  ~worker();

  /// A listener and the upstream behind it.
  struct listener {
    std::size_t index = 0;  ///< of the listener
    upstream* mongos = nullptr;
  };

  /// Adds a listening socket. Accepted connections are distributed among `takers`, which
  /// include this worker. Call it before start().
  void add_listener(net::unique_fd listening, listener from, std::vector<worker*> takers);

  /// The number of this worker's client connections, including those that other workers handed
  /// over.
  [[nodiscard]] std::size_t connections() const noexcept {
    return connections_.load(std::memory_order_relaxed);
  }

  /// Publishes how long clients of `mongos` have been waiting for replies
  /// (listener_facts::waits). Call it before start().
  void show_waits(upstream& mongos);

  /// Starts the thread, which doesn't accept yet. Throws std::runtime_error with a one-line
  /// message if no thread can be created.
  void start(std::shared_ptr<const settings> settings);

  void accept();  ///< after start()

  /// Applies the settings from the next message on. Then calls `on_used` on the worker's
  /// thread.
  void apply_settings(std::shared_ptr<const settings> settings, std::function<void()> on_used);

  /// Hands over what this worker has counted. Calls `on_flushed` once, on any thread, with
  /// whether that was everything; at once if the worker has drained. Never calls it if the
  /// thread doesn't run or memory is out.
  void flush_counts(std::function<void(bool)> on_flushed);

  /// Stops accepting. Then calls `on_stopped` on the worker's thread.
  void stop_accepting(std::function<void()> on_stopped);

  /// Closes sessions as they become idle; the thread ends with the last one. Calls `on_drained`
  /// on the worker's thread once all findings have been handed over. REQUIRES: all workers have
  /// stopped accepting, as they might hand connections to this one.
  void drain(drain_mode mode, std::function<void()> on_drained);
  void close_all();  ///< closes what remains after a drain
  void stop();       ///< ends the thread and all its sessions at once, after a failed start
  /// Waits until the thread has ended.
  void join();

 private:
  [[nodiscard]] proxy::inspector& inspector() noexcept override { return inspector_; }
  [[nodiscard]] block_pool& blocks() noexcept override { return blocks_; }
  [[nodiscard]] net::event_loop& loop() noexcept override { return loop_; }
  [[nodiscard]] telemetry::memory_budget& memory() noexcept override { return parts_.memory; }
  void do_long_work(session& asking) override;
  void hold(session& asking) override;
  void wake() noexcept override;
  void find_upstream(session& asking) override;
  void pause_accepting() override;
  void on_closed(session& closed) override;
  void note_fault(telemetry::condition_kind kind, const telemetry::condition_subject& subject,
                  std::string_view detail) override {
    faults_.note(kind, subject, detail);
  }

  void run();
  [[nodiscard]] bool flush_all();
  void call_flushed(bool is_all);
  [[nodiscard]] worker& taker_among(const std::vector<worker*>& takers) noexcept;
  void hand_over(net::unique_fd connection, const listener& from);
  void adopt(net::unique_fd connection, const listener& from);
  void open_session(net::unique_fd connection, const listener& from);
  void make_room_for(std::size_t sessions);
  void check_held();
  void check_held_at(clock::time_point due);
  void ask_for_turn(std::shared_ptr<session> asking);
  void do_next_piece();
  void on_piece_done(bool is_over);
  void post_end() noexcept;
  void refuse(const std::string& counted_as);
  void note_failed_accepts();
  void do_housekeeping();
  void check_sessions();
  void note_wait(session& of);
  void publish_waits();
  void end_if_drained();
  template <typename Action>
  void for_each_session(Action action);

  std::string name_;
  shared_parts parts_;
  telemetry::worker_metrics& metrics_;
  telemetry::shape_table shapes_;
  net::work_meter meter_;
  proxy::inspector inspector_;
  fault_notes faults_;
  std::atomic<std::size_t> connections_{0};
  std::uint64_t failed_accepts_ = 0;  ///< already reported to the board
  block_pool blocks_;
  net::event_loop loop_;
  std::shared_ptr<const settings> settings_;
  std::vector<std::unique_ptr<acceptor>> acceptors_;
  std::unordered_map<std::uint64_t, std::shared_ptr<session>> sessions_;
  std::vector<session*> all_sessions_;    ///< for for_each_session()
  std::vector<std::uint64_t> unchecked_;  ///< ids, for check_sessions()
  /// The current round's result of check_sessions() for one listener's clients.
  struct waits {
    upstream* mongos = nullptr;
    telemetry::reply_waits* shown = nullptr;
    std::uint64_t clients = 0;
    clock::duration longest{0};
  };
  std::vector<waits> waits_;
  std::function<void()> on_drained_;
  std::mutex flush_mutex_;                             ///< guards the next two members
  std::vector<std::function<void(bool)>> on_flushed_;  ///< called at the next flush
  bool has_drained_ = false;                           ///< there is nothing to flush any more
  bool is_draining_ = false;
  std::vector<std::shared_ptr<session>>
      held_;  ///< sessions with throttled requests, in order of arrival
  std::optional<clock::time_point> next_check_;  ///< of check_held()
  std::atomic<bool> is_woken_ = false;           ///< a task to call check_held() is pending
  turn_queue<std::shared_ptr<session>> with_long_work_;
  std::shared_ptr<session> at_work_;  ///< whose long work is running
  long_work_thread long_work_;
  std::thread thread_;
};

}  // namespace scattergate::proxy
