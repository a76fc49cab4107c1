#pragma once

#include <chrono>
#include <optional>

#include "net/watcher.hpp"

namespace scattergate::net {

class transport;

/// The part of an event_loop that asks the kernel: it waits, and notifies the watchers of
/// sockets that became ready. The rest of the program doesn't know which engine it runs on.
/// Thread-safety: the loop's thread, and before it starts.
class engine {
 public:
  virtual ~engine() = default;

  /// Notifies `by` of every change of `socket`, edge-triggered, until the socket is closed.
  /// False if the kernel has no room for it.
  [[nodiscard]] virtual bool watch(transport& socket, watcher& by) = 0;
  /// Notifies `by` as long as there is something to accept. False if the kernel has no room.
  [[nodiscard]] virtual bool watch_listener(int fd, watcher& by) = 0;
  /// Stops notifications for a listener. Afterwards the caller may close it.
  virtual void unwatch_listener(int fd, const watcher& by) noexcept = 0;
  /// Drops events of `by` that the kernel has already reported.
  virtual void forget(const watcher& by) noexcept = 0;

  /// Waits for events, at most so long; std::nullopt: until there are some.
  virtual void wait(std::optional<std::chrono::milliseconds> longest) = 0;
  /// Notifies the watchers of the events that wait() has collected.
  virtual void tell() = 0;
};

}  // namespace scattergate::net
