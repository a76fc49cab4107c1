#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "net/failing_memory.hpp"
#include "text/problem.hpp"

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

/// The writes that watchers defer while an event_loop calls a batch of watchers. First all
/// watchers of the batch read, then all work, then all write. This order keeps the code of each
/// stage in the CPU's caches. Thread-safety: use it only on the loop's thread.
class write_batch {
 public:
  /// The most watchers in a batch. With more, bytes that are read first would leave the CPU's
  /// caches before they are used.
  static constexpr std::size_t watchers = 16;

  /// Opens a batch: until write(), watchers may defer their writes.
  void open() noexcept { is_open_ = true; }

  /// Makes write() call write_deferred() of `notified`. Returns false if no batch is open or
  /// too many writes are deferred; then `notified` must write at once.
  [[nodiscard]] bool defer(watcher& notified) noexcept {
    if (!is_open_ || count_ == deferred_.size()) return false;
    deferred_[count_++] = &notified;
    return true;
  }

  /// Drops the deferred write of `notified`.
  void forget(const watcher& notified) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (deferred_[i] == &notified) deferred_[i] = nullptr;
    }
  }

  /// Closes the batch and calls write_deferred() of all deferred watchers, in the order of
  /// defer(). If a watcher throws std::bad_alloc, continues with the next one.
  void write() noexcept {
    is_open_ = false;
    for (std::size_t i = 0; i < count_; ++i) {
      watcher* const notified = deferred_[i];
      if (notified == nullptr) continue;
      done_unless_memory_fails([notified] { notified->write_deferred(); });
    }
    count_ = 0;
  }

 private:
  std::array<watcher*, 2 * watchers> deferred_;  // a session may write to both its sides
  std::size_t count_ = 0;
  bool is_open_ = false;
};

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
