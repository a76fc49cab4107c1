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

  /// Notifies `by` of every change of `socket`, edge-triggered, until the socket is closed.
  /// Returns false if the kernel is out of resources.
  [[nodiscard]] virtual bool watch(transport& socket, watcher& by) = 0;
  /// Notifies `by` while connections wait to be accepted (level-triggered). Returns false if
  /// the kernel is out of resources.
  [[nodiscard]] virtual bool watch_listener(int fd, watcher& by) = 0;
  /// Stops notifications for a listener. Afterwards the caller may close it.
  virtual void unwatch_listener(int fd, const watcher& by) noexcept = 0;
  /// Drops events of `by` that the kernel has already reported.
  virtual void forget(const watcher& by) noexcept = 0;

  /// Waits until there are events, at most for `longest`; std::nullopt: without a timeout,
  /// which is cheaper.
  virtual void wait(std::optional<std::chrono::milliseconds> longest) = 0;
  /// Delivers the events that wait() has collected to their watchers, in batches: while one is
  /// open, watchers may defer their writes to `writes`.
  virtual void dispatch(write_batch& writes) = 0;
  /// Called once when the loop ends: completes pending requests of closed sockets.
  virtual void finish() noexcept {}
};

/// The available engines.
enum class engine_kind : std::uint8_t { epoll, io_uring };

/// Succeeds if the kernel has this engine and allows its use; the problem says why not.
[[nodiscard]] text::result<void> try_engine(engine_kind kind);

/// Descriptors that only end an engine's wait() when they become readable: an eventfd and a
/// timerfd. The engine reports each event once, whether it is read or not.
using wake_fds = std::array<int, 2>;

/// Creates an engine. Throws std::system_error if the kernel lacks or forbids it.
[[nodiscard]] std::unique_ptr<engine> make_engine(engine_kind kind, const wake_fds& wakes);

}  // namespace scattergate::net
