#pragma once

#include <cstdint>

namespace scattergate::net {

/// The changes of a socket's readiness since the last notification.
struct readiness {
  bool readable = false;  ///< became readable
  bool writable = false;  ///< became writable
  bool hung_up = false;   ///< the peer has closed its side, or the socket failed; unread bytes
                          ///< may be left
  bool failed = false;    ///< the socket failed, by the peer's reset or a timeout: nothing
                          ///< written to it arrives any more
};

/// Receives an event_loop's notifications for one socket.
class watcher {
 public:
  /// Called on the loop's thread. An empty `now`: the loop resumes a watcher that has yielded.
  virtual void on_ready(const readiness& now) = 0;
  /// Called before on_ready(now) if several sockets are ready. The watcher may read what has
  /// arrived, so that all reads of a batch come before the rest of its work.
  virtual void read_ahead(const readiness& now) { static_cast<void>(now); }
  /// Called once after event_loop::defer_write(), when on_ready() of all watchers of the batch
  /// has returned.
  virtual void write_deferred() {}

 protected:
  ~watcher() = default;
};

/// Prefetches the memory of the watcher that runs next. With thousands of connections, its
/// memory has left the CPU's caches. `next` may be any address, including null.
inline void prefetch(const watcher* next) noexcept {
  constexpr std::uintptr_t touched = 768;
  constexpr std::uintptr_t line = 64;
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(next) - line;
  for (std::uintptr_t i = 0; i < touched; i += line) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + i));
  }
}

}  // namespace scattergate::net
