#pragma once

#include <cstdint>

namespace scattergate::net {

/// The changes of a socket's readiness since the last notification.
struct readiness {
  bool readable = false;  ///< became readable
  bool writable = false;  ///< became writable
  bool hung_up = false;   ///< the peer has ended its stream, or the socket has failed; unread
                          ///< bytes may be left
  bool failed = false;    ///< the socket has failed, by the peer's reset or a timeout; the
                          ///< peer receives no more bytes
};

/// A callback object: an event_loop calls it when the socket that it watches is ready.
class watcher {
 public:
  /// The loop calls this on its own thread. `now` is empty if the loop resumes a watcher that
  /// has yielded (event_loop::resume_later() or resume_soon()).
  virtual void on_ready(const readiness& now) = 0;
  /// Lets the watcher read received bytes early, so that all reads of a batch (up to 16 ready
  /// sockets) come first. The epoll engine calls this for all sockets of a batch before it
  /// calls on_ready(now) for the first. Not called if the batch has one socket.
  virtual void read_ahead(const readiness& now) { static_cast<void>(now); }
  /// The loop calls this once for each event_loop::defer_write() that returned true, after
  /// on_ready() of all watchers of the batch.
  virtual void write_deferred() {}

 protected:
  ~watcher() = default;
};

/// Prefetches the memory of `next`, the watcher that runs next. With thousands of connections,
/// a watcher's memory is no longer in the CPU's caches. `next` may be null.
inline void prefetch(const watcher* next) noexcept {
  constexpr std::uintptr_t touched = 768;
  constexpr std::uintptr_t line = 64;
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(next) - line;
  for (std::uintptr_t i = 0; i < touched; i += line) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + i));
  }
}

}  // namespace scattergate::net
