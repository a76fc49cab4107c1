#include "net/engine.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <thread>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/failing_memory.hpp"
#include "net/ring_engine.hpp"
#include "net/transport.hpp"
#include "net/unique_fd.hpp"

namespace scattergate::net {
namespace {

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

/// Calls the function `notified` of the event's watcher, unless forget() has dropped the event.
[[gnu::always_inline]] inline void notify(const epoll_event& event,
                                          void (watcher::*notified)(const readiness&)) {
  auto* const watched = static_cast<watcher*>(event.data.ptr);
  if (watched == nullptr) return;
  const bool hung_up = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  const readiness now{hung_up || (event.events & EPOLLIN) != 0,
                      hung_up || (event.events & EPOLLOUT) != 0, hung_up,
                      (event.events & EPOLLERR) != 0};
  done_unless_memory_fails([&] { (watched->*notified)(now); });
}

epoll_engine::epoll_engine(const wake_fds& wakes) : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  for (const int fd : wakes) {
    if (add(fd, EPOLLIN | EPOLLET, nullptr)) continue;
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
}

bool epoll_engine::add(int fd, std::uint32_t events, watcher* notified) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = notified;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

bool epoll_engine::watch(transport& socket, watcher& notified) {
  return add(socket.fd(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &notified);
}

bool epoll_engine::watch_listener(int fd, watcher& notified) {
  return add(fd, EPOLLIN, &notified);
}

void epoll_engine::unwatch_listener(int fd, const watcher& notified) noexcept {
  epoll_event unused{};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, &unused);
  forget(notified);
}

/// Closing the socket isn't enough. A process that is being started has a copy of every
/// descriptor until it executes its program, and as long as a copy is open, the kernel reports
/// events.
void epoll_engine::unwatch(const transport& socket) noexcept {
  epoll_event unused{};
  if (socket.is_open()) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket.fd(), &unused);
}

void epoll_engine::forget(const watcher& notified) noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (events_[i].data.ptr == &notified) events_[i].data.ptr = nullptr;
  }
}

void epoll_engine::wait(std::optional<std::chrono::milliseconds> longest) {
  const int millis = longest ? static_cast<int>(longest->count()) : -1;
  // Not through glibc, whose function is a thread cancellation point; see net/stream_calls.hpp.
  // arm64 has no SYS_epoll_wait.
  const long count = ::syscall(SYS_epoll_pwait, epoll_.get(), events_.data(), events_per_turn,
                               millis, nullptr, 0);
  count_ = static_cast<std::size_t>(std::max(count, 0L));
}

void epoll_engine::dispatch(write_batch& writes) {
  for (std::size_t begin = 0; begin < count_; begin += write_batch::watchers) {
    const std::size_t end = std::min(begin + write_batch::watchers, count_);
    if (end - begin > 1) {
      for (std::size_t i = begin; i < end; ++i) {
        if (i + 1 < count_) prefetch(static_cast<const watcher*>(events_[i + 1].data.ptr));
        notify(events_[i], &watcher::read_ahead);
      }
      writes.open();
    }
    for (std::size_t i = begin; i < end; ++i) notify(events_[i], &watcher::on_ready);
    writes.write();
  }
  count_ = 0;
}

}  // namespace

std::unique_ptr<engine> make_engine(engine_kind kind, const wake_fds& wakes) {
  if (kind == engine_kind::io_uring) return std::make_unique<ring_engine>(wakes);
  return std::make_unique<epoll_engine>(wakes);
}

/// Makes the engine on a thread of its own: when the kernel dismantles a ring, it interrupts
/// the thread that made the ring, and a later receive with a timeout on that thread would fail.
text::result<void> try_engine(engine_kind kind) {
  text::result<void> tried;
  const auto attempt = [&] {
    try {
      const unique_fd wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
      const unique_fd wake_later{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
      static_cast<void>(make_engine(kind, {wake.get(), wake_later.get()}));
    } catch (const std::system_error& refused) {
      tried = text::failure(refused.what());
    }
  };
  try {
    std::thread{attempt}.join();
  } catch (const std::system_error& failed) {
    return text::failure(failed.what());
  }
  return tried;
}

}  // namespace scattergate::net
