#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <sys/epoll.h>

#include "net/engine.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {

/// The engine (interface to the kernel) of an event_loop, on epoll. Each connection is
/// registered once, for both directions, so that a round trip needs no system calls besides
/// read, write and wait. Boost.Asio 1.81 makes an extra system call for every wait
/// (docs/decisions.md).
class epoll_engine final : public engine {
 public:
  /// Throws std::system_error if epoll can't be set up. `wakes`: descriptors that end wait().
  explicit epoll_engine(const wake_fds& wakes);

  [[nodiscard]] bool watch(transport& socket, watcher& notified) override;
  [[nodiscard]] bool watch_listener(int fd, watcher& notified) override;
  void unwatch_listener(int fd, const watcher& notified) noexcept override;
  void unwatch(const transport& socket) noexcept override;
  void forget(const watcher& notified) noexcept override;
  void wait(std::optional<std::chrono::milliseconds> longest) override;
  void dispatch(write_batch& writes) override;

 private:
  static constexpr std::size_t events_per_turn = 128;

  [[nodiscard]] bool add(int fd, std::uint32_t events, watcher* notified) noexcept;

  unique_fd epoll_;
  std::array<epoll_event, events_per_turn> events_;
  std::size_t count_ = 0;  // number of events_ that dispatch() has to deliver
};

}  // namespace scattergate::net
