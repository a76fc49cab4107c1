#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "net/unique_fd.hpp"
#include "net/work_meter.hpp"

namespace scattergate::net {

/// One worker's loop over its sockets. A connection is registered once, for both directions and
/// edge-triggered, so that a round trip costs no system call but its reads, its writes and the
/// wait itself; Boost.Asio of this age asks the kernel again for every wait
/// (docs/decisions.md).
///
/// Whoever is told to be ready may close any other descriptor in that turn: what the kernel had
/// already said about it is dropped, and what is retired is destroyed only when the turn ends.
///
/// A turn is bounded by the work that is done in it: whoever has much to do gives way by
/// resume_later(), and of those who did so as many go on in a turn as its meter allows, at
/// least one; whoever finds the turn over comes first in the next, by resume_soon(). So who has
/// little to do waits for a turn of the others' work, however many they are. Known peers go on
/// before strangers; at least one of either does in each turn.
///
/// Where memory fails a watcher or a task, what it was about to do is left undone, and the loop
/// goes on.
///
/// Thread-safety: post() and stop() from any thread, everything else from the loop's own.
class event_loop {
 public:
  using clock = std::chrono::steady_clock;

  struct readiness {
    bool readable = false;
    bool writable = false;
    bool hung_up = false;  ///< the peer has closed, or the socket failed: read it to the end
    bool failed = false;  ///< the socket failed, by the peer's reset or a timeout: nothing that
                          ///< is written to it arrives
  };

  /// Who comes first, of those who wait for others.
  enum class standing : std::uint8_t { known, stranger };

  class watcher {
   public:
    virtual void on_ready(const readiness& now) = 0;

   protected:
    ~watcher() = default;
  };

  event_loop() : event_loop(own_meter_) {}
  /// `meter` bounds the turns; it outlives the loop.
  explicit event_loop(work_meter& meter);
  ~event_loop();

  /// Tells `by` of every change of `fd`. False where the kernel has no room for it.
  [[nodiscard]] bool watch(int fd, watcher& by);
  /// Tells `by` as long as there is something to accept.
  [[nodiscard]] bool watch_listener(int fd, watcher& by);
  /// Tells nothing of `fd` any more.
  void unwatch(int fd, const watcher& by) noexcept;
  /// Tells `by` nothing any more. Before its descriptor, which the kernel forgets by itself, is
  /// closed.
  void forget(const watcher& by) noexcept;

  /// Calls `again` once more, with nothing new, when the others have had their turn; those of
  /// one standing in the order in which they asked.
  void resume_later(watcher& again, standing of = standing::known) {
    waiting_[index(when::later, of)].push_back(&again);
  }
  /// Calls `again` in the next turn, before the sockets that became ready: this turn ended
  /// before it came to `again`.
  void resume_soon(watcher& again, standing of = standing::known) {
    waiting_[index(when::soon, of)].push_back(&again);
  }

  /// So many watchers may be retired in one turn, and ask for another, without an allocation.
  void make_room_for(std::size_t watchers);

  /// Keeps `retired` alive until this turn ends.
  void retire(std::shared_ptr<void> retired) { retired_.push_back(std::move(retired)); }

  /// Runs `task` on the loop, soon.
  void post(std::function<void()> task);

  /// Runs `task` once in each `interval`, from then on.
  void every(std::chrono::milliseconds interval, std::function<void()> task);

  /// Runs `task` once, at `due` or a little later.
  void once(clock::time_point due, std::function<void()> task);

  /// What has been done, for those who do it to tell, and to give way.
  [[nodiscard]] work_meter& meter() noexcept { return meter_; }

  /// When this turn began.
  [[nodiscard]] clock::time_point now() const noexcept { return now_; }

  void run();
  void stop();

 private:
  static constexpr std::size_t events_per_turn = 128;

  /// When a watcher that asked for another turn gets it: before the sockets that are ready, or
  /// after them.
  enum class when : std::uint8_t { soon, later };

  [[nodiscard]] static constexpr std::size_t index(when asked, standing of) noexcept {
    return 2 * static_cast<std::size_t>(asked) + static_cast<std::size_t>(of);
  }
  [[nodiscard]] bool add(int fd, std::uint32_t events, watcher& by);
  [[nodiscard]] int time_to_wait() const noexcept;
  void tell_ready(int count);
  void tell_again(when asked);
  void tell_again(std::vector<watcher*>& waiting);
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
  struct events;  // epoll_event is the kernel's business

  unique_fd epoll_;
  unique_fd wake_;
  std::unique_ptr<events> events_;
  std::array<std::vector<watcher*>, 4> waiting_;  // by index(); each in the order of its turns
  std::vector<std::shared_ptr<void>> retired_;
  std::vector<repeated> repeated_;
  std::vector<delayed> delayed_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // under mutex_
  clock::time_point now_ = clock::now();
  work_meter own_meter_;  // used where none was lent
  work_meter& meter_;
  bool is_stopped_ = false;
};

}  // namespace scattergate::net
