#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "net/watcher.hpp"
#include "text/problem.hpp"

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
  /// The loop has ended: completes what closed sockets have left to do.
  virtual void finish() noexcept {}
};

enum class engine_kind : std::uint8_t { epoll, io_uring };

/// Whether the kernel has this engine and allows it; the problem says why not.
[[nodiscard]] text::result<void> try_engine(engine_kind kind);

/// Waiting ends when `wake`, an eventfd, is written to. Throws std::system_error if the kernel
/// doesn't have the engine, or forbids it.
[[nodiscard]] std::unique_ptr<engine> make_engine(engine_kind kind, int wake);

}  // namespace scattergate::net
