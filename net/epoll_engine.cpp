#include "net/epoll_engine.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <sys/syscall.h>
#include <unistd.h>

#include "net/failing_memory.hpp"
#include "net/transport.hpp"

namespace scattergate::net {
namespace {

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

}  // namespace

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

}  // namespace scattergate::net
