#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "net/engine.hpp"
#include "net/unique_fd.hpp"
#include "net/work_meter.hpp"

namespace scattergate::net {

/// One worker's event loop. It calls the watcher (a callback object) of each socket that the
/// kernel reports as ready.
///
/// A watcher may close any socket, even one that another watcher watches. forget() drops the
/// events that the kernel has already reported for the other watcher. retire() keeps the
/// socket's owner alive until the turn ends.
///
/// A turn is one pass over the ready sockets. A work_meter limits the work of a turn, so that a
/// watcher with little to do waits at most one turn, even if many watchers are busy. A watcher
/// with much to do yields with resume_later(), and runs again after the ready sockets. A
/// watcher that is called when the turn's limit is already reached yields with resume_soon(),
/// and runs first in the next turn. Each turn resumes as many yielding watchers as the meter
/// allows: first those of known clients, then those of strangers (see `priority`). At least one
/// of each kind is resumed.
///
/// If a watcher or a task throws std::bad_alloc, the loop drops that call and continues.
///
/// Thread-safety: call post() and stop() on any thread, all other functions on the loop's
/// thread.
class event_loop {
 public:
  using clock = std::chrono::steady_clock;

  using readiness = net::readiness;
  using watcher = net::watcher;

  /// The priority with which a watcher is resumed; `known` comes first. A `stranger` is a
  /// client that hasn't authenticated, and none of whose commands on a collection has
  /// succeeded.
  enum class priority : std::uint8_t { known, stranger };

  /// Throws std::system_error if the kernel lacks or forbids the engine.
  explicit event_loop(engine_kind kind = engine_kind::epoll) : event_loop(own_meter_, kind) {}
  /// `meter` limits the turns and must outlive the loop. The loop must outlive the sockets that
  /// it watches. Throws std::system_error if the kernel lacks or forbids the engine.
  event_loop(work_meter& meter, engine_kind kind);
  ~event_loop();

  /// Calls `notified` for every change of `socket`'s readiness. Call unwatch() before closing
  /// the socket. Returns false if memory or another kernel resource is exhausted.
  [[nodiscard]] bool watch(transport& socket, watcher& notified);
  /// Ends watch() for `socket` and `notified`. Call it before closing `socket`; a socket that
  /// isn't watched may be passed, too.
  void unwatch(const transport& socket, const watcher& notified) noexcept;
  /// Calls `notified` as long as connections wait to be accepted from `fd`, a listening socket.
  /// Returns false if memory or another kernel resource is exhausted.
  [[nodiscard]] bool watch_listener(int fd, watcher& notified);
  /// Ends watch_listener() for `fd` and `notified`. Call it before closing `fd`.
  void unwatch_listener(int fd, const watcher& notified) noexcept;
  /// Drops all pending calls of `notified`: reported events, deferred writes and resumptions.
  void forget(const watcher& notified) noexcept;

  /// Calls on_ready() of `resumed` once, with an empty readiness, after the ready sockets of a
  /// turn. Watchers of equal priority run in the order of their resume_later() calls.
  void resume_later(watcher& resumed, priority level = priority::known) {
    waiting_[index(when::later, level)].push_back(&resumed);
  }
  /// Calls on_ready() of `resumed` once, with an empty readiness, at the start of the next
  /// turn, before the ready sockets. Use it if the current turn's work limit is reached.
  void resume_soon(watcher& resumed, priority level = priority::known) {
    waiting_[index(when::soon, level)].push_back(&resumed);
  }

  /// Calls write_deferred() of `notified` once, after on_ready() of all watchers of the current
  /// batch (up to 16 ready sockets). Returns false if no batch is open or too many writes are
  /// deferred; then `notified` must write at once.
  [[nodiscard]] bool defer_write(watcher& notified) noexcept { return writes_.defer(notified); }

  /// Reserves memory, so that retire(), resume_later() and resume_soon() don't allocate for up
  /// to `watchers` watchers.
  void make_room_for(std::size_t watchers);

  /// Keeps `retired` alive until the current turn ends, then releases it.
  void retire(std::shared_ptr<void> retired) { retired_.push_back(std::move(retired)); }

  /// Runs `task` once on the loop's thread, at the end of a turn. If the loop is waiting for
  /// events, it wakes up.
  void post(std::function<void()> task);

  /// Runs `task` every `interval`, first after one interval.
  void every(std::chrono::milliseconds interval, std::function<void()> task);

  /// Runs `task` once, at `due` or shortly after.
  void once(clock::time_point due, std::function<void()> task);

  /// The meter that limits the work of a turn. Watchers add their work to the meter, which
  /// says when they must yield.
  [[nodiscard]] work_meter& meter() noexcept { return meter_; }

  /// The time at which the current turn started; costs no system call.
  [[nodiscard]] clock::time_point now() const noexcept { return now_; }

  /// Runs turns on the calling thread until stop().
  void run();
  /// Makes run() return after the current turn.
  void stop();

 private:
  /// The time at which a resumed watcher runs: before (`soon`) or after (`later`) the ready
  /// sockets.
  enum class when : std::uint8_t { soon, later };

  [[nodiscard]] static constexpr std::size_t index(when asked, priority level) noexcept {
    return 2 * static_cast<std::size_t>(asked) + static_cast<std::size_t>(level);
  }
  [[nodiscard]] bool has_waiting() const noexcept;
  [[nodiscard]] clock::time_point next_due() const noexcept;
  void arm_timer() noexcept;
  void call_again(when asked);
  void call_again(std::vector<watcher*>& waiting);
  void run_posted();
  void run_due();

  struct repeated {
    std::chrono::milliseconds interval;
    std::function<void()> task;
    clock::time_point due;
  };
  struct delayed {
    clock::time_point due;
    std::function<void()> task;
  };

  unique_fd wake_;   // an eventfd that post() writes to
  unique_fd timer_;  // a timerfd that ends the wait at armed_
  clock::time_point armed_ = clock::time_point::max();  // max: disarmed
  std::unique_ptr<engine> engine_;
  std::array<std::vector<watcher*>, 4> waiting_;  // by index(); each in the order of calls
  write_batch writes_;
  std::vector<std::shared_ptr<void>> retired_;
  std::vector<repeated> repeated_;
  std::vector<delayed> delayed_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by mutex_
  std::atomic<bool> has_posted_{false};        // lets a turn without posted tasks skip the lock
  clock::time_point now_ = clock::now();
  work_meter own_meter_;  // used if no meter was given
  work_meter& meter_;
  bool is_stopped_ = false;
};

}  // namespace scattergate::net
