#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "net/watcher.hpp"
#include "net/write_batch.hpp"
#include "text/problem.hpp"

namespace scattergate::net {

class transport;

/// An event_loop's interface to the kernel (epoll or io_uring): waits for events and notifies
/// the watchers of ready sockets. Thread-safety: use it only on the loop's thread, or before
/// the loop starts.
class engine {
 public:
  virtual ~engine() = default;

  /// Calls `notified` for every change of `socket`'s readiness, edge-triggered, until the
  /// socket is closed. Returns false if the kernel is out of resources.
  [[nodiscard]] virtual bool watch(transport& socket, watcher& notified) = 0;
  /// Calls `notified` as long as connections wait to be accepted from `fd`, a listening socket
  /// (level-triggered). Returns false if the kernel is out of resources.
  [[nodiscard]] virtual bool watch_listener(int fd, watcher& notified) = 0;
  /// Ends watch_listener() for `fd` and `notified`. Afterwards the caller may close `fd`.
  virtual void unwatch_listener(int fd, const watcher& notified) noexcept = 0;
  /// Drops the events for `notified` that the kernel has reported and dispatch() hasn't
  /// delivered yet.
  virtual void forget(const watcher& notified) noexcept = 0;

  /// Waits for events, at most for `longest`. std::nullopt: without a timeout, which costs less
  /// CPU time.
  virtual void wait(std::optional<std::chrono::milliseconds> longest) = 0;
  /// Delivers the events that wait() has collected to their watchers, in batches. While a batch
  /// is open, watchers may defer their writes to `writes`.
  virtual void dispatch(write_batch& writes) = 0;
  /// The loop calls it once, when it ends. Sends what closed sockets have left to send, within
  /// a time limit, and ends the kernel's use of our memory.
  virtual void finish() noexcept {}
};

/// The available engines.
enum class engine_kind : std::uint8_t { epoll, io_uring };

/// Succeeds if the kernel supports this engine and allows its use. Otherwise, the problem says
/// why not.
[[nodiscard]] text::result<void> try_engine(engine_kind kind);

/// An event_loop's eventfd and timerfd. An engine's wait() returns when either becomes
/// readable, without calling a watcher. They are edge-triggered: the loop needn't read them.
using wake_fds = std::array<int, 2>;

/// Creates an engine. Throws std::system_error if the kernel lacks or forbids it.
[[nodiscard]] std::unique_ptr<engine> make_engine(engine_kind kind, const wake_fds& wakes);

}  // namespace scattergate::net
