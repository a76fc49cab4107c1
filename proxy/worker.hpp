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
#include "proxy/faults/fault_reports.hpp"
#include "proxy/judging/command_taps.hpp"
#include "proxy/judging/inspector.hpp"
#include "proxy/judging/long_work.hpp"
#include "proxy/session/session.hpp"
#include "proxy/settings.hpp"
#include "proxy/upstream/upstream.hpp"
#include "telemetry/memory_budget.hpp"

namespace scattergate::proxy {

/// The parts of a daemon that its workers share. They must outlive the workers. Thread-safety:
/// any thread.
struct worker_dependencies {
  telemetry::metrics_collector& metrics;  ///< collects all workers' metrics
  telemetry::account& account;            ///< adds up all workers' counts by shape
  telemetry::memory_budget& memory;       ///< the daemon's memory budget (limits.memory)
  connection_counts& connections;         ///< counts open connections, for their limits
  command_taps& taps;                     ///< receives copies of commands
  std::size_t max_shapes = 0;  ///< the maximum number of shapes of findings (commands to
                               ///< report) in a worker's shape_table; also the maximum number
                               ///< of other shapes
  fault_reports::reporter report_faults = [](std::vector<fault>) {};  ///< receives connections'
                                                                      ///< faults, on any thread
  telemetry::stranger_places* strangers = nullptr;  ///< limits the findings of strangers
                                                    ///< (unauthenticated clients) in the shape
                                                    ///< tables; null: the tables keep none of
                                                    ///< them
  telemetry::sketch_book* sketches = nullptr;       ///< null: values aren't sketched
};

/// One thread with its own event loop and listening sockets. It accepts connections and runs
/// their sessions. A second thread does long work on large messages.
///
/// The kernel distributes new connections among the workers at random. If a worker has over an
/// eighth more connections than the worker with the fewest, it hands accepted connections over
/// to that worker. For handling a command, workers share only the cursor table and the
/// throttles.
///
/// Thread-safety: call public functions from any thread.
class worker final : private session_host, private throttle::waker {
 public:
  /// `name`: the thread's name. Throws std::system_error if the kernel refuses the event
  /// engine.
  worker(std::string name, const worker_dependencies& parts,
         net::engine_kind engine = net::engine_kind::epoll);
  ~worker();

  /// A listener and its mongos.
  struct listener {
    std::size_t index = 0;       ///< the listener's index in settings::listeners
    upstream* mongos = nullptr;  ///< not owned; must outlive the worker
  };

  /// Adds a listening socket of the listener `from`. The worker distributes accepted
  /// connections among `takers`, which include this worker, and which must outlive this
  /// worker's thread. Call it before start().
  void add_listener(net::unique_fd listening, listener from, std::vector<worker*> takers);

  /// The number of this worker's client connections, including those that other workers have
  /// handed over to it.
  [[nodiscard]] std::size_t connections() const noexcept {
    return connections_.load(std::memory_order_relaxed);
  }

  /// Makes this worker publish periodically how long clients of `mongos` have waited for
  /// replies (listener_facts::waits). Call it before start().
  void show_waits(upstream& mongos);

  /// Starts the thread, which doesn't accept connections until accept(). Throws
  /// std::runtime_error with a one-line message if no thread can be created.
  void start(std::shared_ptr<const settings> settings);

  void accept();  ///< starts accepting connections; call it after start()

  /// Replaces the settings, for the next message and later ones. Then calls `on_used` on the
  /// worker's thread.
  void apply_settings(std::shared_ptr<const settings> settings, std::function<void()> on_used);

  /// Says that the live catalog has been read; see worker_group::note_catalog_read().
  void note_catalog_read(std::uint64_t number);

  /// Hands over this worker's counts to the telemetry::account, which adds up all workers'
  /// counts. Then calls `on_flushed` once, on any thread; the argument is true if all counts
  /// were handed over. If the worker has drained, calls `on_flushed` at once. Doesn't call it
  /// if the thread isn't running or memory runs out.
  void flush_counts(std::function<void(bool)> on_flushed);

  /// Stops accepting connections. Then calls `on_stopped` on the worker's thread.
  void stop_accepting(std::function<void()> on_stopped);

  /// Drains all sessions: closes each when it is idle (see session::drain()). When the last
  /// session has closed, hands over all counts, calls `on_drained` on the worker's thread, and
  /// ends the thread. REQUIRES: all workers have stopped accepting, because they might hand
  /// over connections to this worker.
  void drain(drain_mode mode, std::function<void()> on_drained);
  void close_all();  ///< closes all sessions at once; ends a drain
  void stop();       ///< ends the thread without closing sessions; for a failed start
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
  void hand_over(accepted_client client, const listener& from);
  void adopt(accepted_client client, const listener& from);
  void open_session(accepted_client client, const listener& from);
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
  void note_success(session& of) noexcept;
  void publish_waits();
  void end_if_drained();
  template <typename Action>
  void for_each_session(Action action);

  std::string name_;
  worker_dependencies parts_;
  telemetry::worker_metrics& metrics_;
  telemetry::shape_table shapes_;
  net::work_meter meter_;
  proxy::inspector inspector_;
  fault_reports faults_;
  std::atomic<std::size_t> connections_{0};
  std::uint64_t failed_accepts_ = 0;  ///< number of failed accepts that are already reported
  block_pool blocks_;
  net::event_loop loop_;
  std::shared_ptr<const settings> settings_;
  std::vector<std::unique_ptr<acceptor>> acceptors_;
  std::unordered_map<std::uint64_t, std::shared_ptr<session>> sessions_;
  std::vector<session*> all_sessions_;    ///< for_each_session()'s copy of sessions_
  std::vector<std::uint64_t> unchecked_;  ///< ids of the sessions that check_sessions() must
                                          ///< still check in this round
  /// How long one listener's clients have waited for replies, whether a command has succeeded,
  /// and how many have an open cursor, according to this round of check_sessions().
  struct waits {
    upstream* mongos = nullptr;               ///< identifies the listener
    telemetry::reply_waits* shown = nullptr;  ///< where the result is published
    std::uint64_t clients = 0;                ///< number of clients that have waited long
    std::uint64_t open_cursors = 0;           ///< number of clients with an open cursor
    clock::duration longest{0};
    bool has_served = true;  ///< a command has succeeded; at first, that the worker has started
  };
  std::vector<waits> waits_;
  std::function<void()> on_drained_;
  std::mutex flush_mutex_;                             ///< guards on_flushed_ and has_drained_
  std::vector<std::function<void(bool)>> on_flushed_;  ///< called at the next flush
  bool has_drained_ = false;                           ///< all counts have been handed over
  bool is_draining_ = false;
  std::vector<std::shared_ptr<session>> held_;   ///< sessions with waiting requests, in
                                                 ///< order of arrival
  std::optional<clock::time_point> next_check_;  ///< when check_held() is due
  std::atomic<bool> is_woken_ = false;           ///< a call of check_held() is scheduled
  long_work_queue<std::shared_ptr<session>>
      with_long_work_;                ///< sessions that wait for long_work_
  std::shared_ptr<session> at_work_;  ///< the session whose long work is running; null: none
  long_work_thread long_work_;
  std::thread thread_;
};

}  // namespace scattergate::proxy
