#pragma once

#include <array>
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
#include "net/watcher.hpp"
#include "net/work_meter.hpp"

namespace scattergate::net {

/// One worker's loop over its sockets. Its engine asks the kernel which of them are ready.
///
/// A watcher may close any other socket in its turn: events that the kernel has already
/// reported for it are dropped, and retired objects are destroyed only when the turn ends.
///
/// A turn is limited by the work done in it. A watcher with much to do yields with
/// resume_later(); in each turn as many of these go on as the meter allows, at least one. A
/// watcher that finds the turn over comes first in the next one, with resume_soon(). So a
/// watcher with little to do waits for one turn of the others' work, however many they are.
/// Known peers go before strangers; at least one of each goes on in each turn.
///
/// If a watcher or a task runs out of memory, its work is abandoned, and the loop goes on.
///
/// Thread-safety: post() and stop() on any thread, everything else on the loop's own.
class event_loop {
 public:
  using clock = std::chrono::steady_clock;

  using readiness = net::readiness;
  using watcher = net::watcher;

  /// Priority among waiting watchers.
  enum class standing : std::uint8_t { known, stranger };

  /// Throws std::system_error, as make_engine() does.
  explicit event_loop(engine_kind kind = engine_kind::epoll) : event_loop(own_meter_, kind) {}
  /// `meter` limits the turns; it must outlive the loop, and the loop the sockets it watches.
  event_loop(work_meter& meter, engine_kind kind);
  ~event_loop();

  /// Notifies `by` of every change of `socket`, until it is closed: call forget() then. False
  /// if the kernel has no room for it.
  [[nodiscard]] bool watch(transport& socket, watcher& by);
  /// Notifies `by` as long as there is something to accept. False if the kernel has no room.
  [[nodiscard]] bool watch_listener(int fd, watcher& by);
  /// Stops notifications for a listener. Call it before closing the descriptor.
  void unwatch_listener(int fd, const watcher& by) noexcept;
  /// Drops pending notifications of `by`. Call it before closing the socket that `by` watches.
  void forget(const watcher& by) noexcept;

  /// Calls `again` once more, without new events, after the others have had their turn;
  /// watchers of one standing in the order in which they asked.
  void resume_later(watcher& again, standing of = standing::known) {
    waiting_[index(when::later, of)].push_back(&again);
  }
  /// Calls `again` in the next turn, before sockets that became ready, because this turn ended
  /// before it was `again`'s turn.
  void resume_soon(watcher& again, standing of = standing::known) {
    waiting_[index(when::soon, of)].push_back(&again);
  }

  /// Reserves memory so that this many watchers may be retired in one turn, and ask for
  /// another, without an allocation.
  void make_room_for(std::size_t watchers);

  /// Keeps `retired` alive until this turn ends.
  void retire(std::shared_ptr<void> retired) { retired_.push_back(std::move(retired)); }

  /// Runs `task` on the loop, soon.
  void post(std::function<void()> task);

  /// Runs `task` once per `interval` from now on.
  void every(std::chrono::milliseconds interval, std::function<void()> task);

  /// Runs `task` once, at `due` or shortly after.
  void once(clock::time_point due, std::function<void()> task);

  /// Records the work done, so that watchers know when to yield.
  [[nodiscard]] work_meter& meter() noexcept { return meter_; }

  /// The start of this turn.
  [[nodiscard]] clock::time_point now() const noexcept { return now_; }

  void run();
  void stop();

 private:
  /// When a watcher that asked for another turn gets it: before or after the sockets that are
  /// ready.
  enum class when : std::uint8_t { soon, later };

  [[nodiscard]] static constexpr std::size_t index(when asked, standing of) noexcept {
    return 2 * static_cast<std::size_t>(asked) + static_cast<std::size_t>(of);
  }
  [[nodiscard]] std::optional<std::chrono::milliseconds> time_to_wait() const noexcept;
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

  unique_fd wake_;  // an eventfd
  std::unique_ptr<engine> engine_;
  std::array<std::vector<watcher*>, 4> waiting_;  // by index(); each in the order of turns
  std::vector<std::shared_ptr<void>> retired_;
  std::vector<repeated> repeated_;
  std::vector<delayed> delayed_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by mutex_
  clock::time_point now_ = clock::now();
  work_meter own_meter_;  // used if no meter was given
  work_meter& meter_;
  bool is_stopped_ = false;
};

}  // namespace scattergate::net
