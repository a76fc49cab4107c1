#pragma once

#include <cstdint>

namespace scattergate::net {

/// Changes to the readiness of a socket.
struct readiness {
  bool readable = false;
  bool writable = false;
  bool hung_up = false;  ///< the peer has closed, or the socket failed: read it to the end
  bool failed = false;   ///< the socket failed, by the peer's reset or a timeout: nothing
                         ///< written to it arrives
};

/// Receives an event_loop's notifications for one socket.
class watcher {
 public:
  /// Called on the loop's thread.
  virtual void on_ready(const readiness& now) = 0;
  /// Called before on_ready(now) if several sockets are ready: may read what has arrived, so
  /// that the reads of a batch follow one another, and so do its writes.
  virtual void read_ahead(const readiness& now) { static_cast<void>(now); }
  /// Called once after event_loop::defer_write(), when all watchers of the batch were notified.
  virtual void write_deferred() {}

 protected:
  ~watcher() = default;
};

/// Prefetches a watcher's memory while another one runs; with thousands of connections it has
/// left the CPU's caches. Any address is allowed, including null.
inline void prefetch(const watcher* next) noexcept {
  constexpr std::uintptr_t touched = 768;
  constexpr std::uintptr_t line = 64;
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(next) - line;
  for (std::uintptr_t i = 0; i < touched; i += line) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + i));
  }
}

}  // namespace scattergate::net
