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

/// An event_loop's interface to the kernel (epoll or io_uring). It waits for events and calls
/// the watchers of ready sockets; a `watcher` is a callback object. Thread-safety: use it only
/// on the loop's thread, or before the loop starts.
class engine {
 public:
  virtual ~engine() = default;

  /// Calls `notified` for every change of `socket`'s readiness (edge-triggered), until
  /// unwatch(). Returns false if memory or another kernel resource is exhausted.
  [[nodiscard]] virtual bool watch(transport& socket, watcher& notified) = 0;
  /// Ends watch() for `socket`. Afterwards the caller may close `socket`.
  virtual void unwatch(const transport& socket) noexcept = 0;
  /// Calls `notified` as long as connections wait to be accepted from `fd`, a listening socket
  /// (level-triggered). Returns false if memory or another kernel resource is exhausted.
  [[nodiscard]] virtual bool watch_listener(int fd, watcher& notified) = 0;
  /// Ends watch_listener() for `fd` and `notified`. Afterwards the caller may close `fd`.
  virtual void unwatch_listener(int fd, const watcher& notified) noexcept = 0;
  /// Drops events for `notified`: those that wait() has collected and dispatch() hasn't
  /// delivered yet.
  virtual void forget(const watcher& notified) noexcept = 0;

  /// Waits for events, at most for `longest`; std::nullopt: without a timeout. A wait without
  /// a timeout costs less CPU time.
  virtual void wait(std::optional<std::chrono::milliseconds> longest) = 0;
  /// Calls on_ready() of the watchers of the events that wait() has collected. `writes`: the
  /// epoll engine opens it for each batch of up to 16 watchers, so that these watchers can
  /// defer their writes.
  virtual void dispatch(write_batch& writes) = 0;
  /// Sends the unsent bytes of closed sockets, within a time limit, and ends the kernel's use
  /// of this process's memory. event_loop::run() calls it once, before it returns.
  virtual void finish() noexcept {}
};

/// The available engines.
enum class engine_kind : std::uint8_t { epoll, io_uring };

/// Checks whether the kernel supports the engine and allows its use. If not, returns a problem
/// with the reason.
[[nodiscard]] text::result<void> try_engine(engine_kind kind);

/// An event_loop's eventfd and timerfd, which end engine::wait() when one of them becomes
/// readable. No watcher is called for them. The engine watches them edge-triggered, so the loop
/// needn't read them.
using wake_fds = std::array<int, 2>;

/// Creates an engine. `wakes`: the descriptors that end engine::wait(). Throws
/// std::system_error if the kernel lacks or forbids the engine.
[[nodiscard]] std::unique_ptr<engine> make_engine(engine_kind kind, const wake_fds& wakes);

}  // namespace scattergate::net
