#include "net/event_loop.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "net/failing_memory.hpp"

namespace scattergate::net {
namespace {

unique_fd opened(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return unique_fd{fd};
}

/// Prefetches what a watcher touches first while another one is served: among thousands of
/// connections no cache holds a watcher's memory when its turn comes. Any address is allowed,
/// including null.
void prefetch(const void* watcher) noexcept {
  constexpr std::uintptr_t touched = 768;
  constexpr std::uintptr_t line = 64;
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(watcher) - line;
  for (std::uintptr_t i = 0; i < touched; i += line) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + i));
  }
}

}  // namespace

struct event_loop::events {
  std::array<epoll_event, events_per_turn> told;
  int count = 0;
};

event_loop::event_loop(work_meter& meter)
    : epoll_(opened(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_(opened(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      events_(std::make_unique<events>()),
      meter_(meter) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;  // no watcher: it only ends the wait
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
}

event_loop::~event_loop() = default;

bool event_loop::add(int fd, std::uint32_t wanted, watcher& by) {
  epoll_event event{};
  event.events = wanted;
  event.data.ptr = &by;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

bool event_loop::watch(int fd, watcher& by) {
  return add(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, by);
}

bool event_loop::watch_listener(int fd, watcher& by) {
  return add(fd, EPOLLIN, by);
}

void event_loop::unwatch(int fd, const watcher& by) noexcept {
  epoll_event unused{};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, &unused);
  forget(by);
}

void event_loop::forget(const watcher& by) noexcept {
  for (int i = 0; i < events_->count; ++i) {
    epoll_event& told = events_->told[static_cast<std::size_t>(i)];
    if (told.data.ptr == &by) told.data.ptr = nullptr;
  }
  for (auto& waiting : waiting_) {
    std::replace(waiting.begin(), waiting.end(), const_cast<watcher*>(&by),
                 static_cast<watcher*>(nullptr));
  }
}

void event_loop::make_room_for(std::size_t watchers) {
  const std::size_t wanted = watchers + retired_.size();
  if (wanted <= retired_.capacity()) return;
  const std::size_t room = std::max(2 * retired_.capacity(), wanted);
  // Watchers that ask during a turn are appended to those that the turn began with.
  for (auto& waiting : waiting_) waiting.reserve(2 * room);
  retired_.reserve(room);
}

void event_loop::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
    if (posted_.size() > 1) return;  // the first one has woken the loop
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

void event_loop::once(clock::time_point due, std::function<void()> task) {
  delayed_.push_back({due, std::move(task)});
}

void event_loop::every(std::chrono::milliseconds interval, std::function<void()> task) {
  repeated_.push_back({interval, std::move(task), clock::now() + interval});
}

int event_loop::time_to_wait() const noexcept {
  for (const auto& waiting : waiting_) {
    if (!waiting.empty()) return 0;
  }
  if (repeated_.empty() && delayed_.empty()) return -1;
  clock::time_point next = clock::time_point::max();
  for (const repeated& one : repeated_) next = std::min(next, one.due);
  for (const delayed& one : delayed_) next = std::min(next, one.due);
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(next - now_).count();
  return static_cast<int>(std::max<std::int64_t>(rest, 0));
}

void event_loop::run() {
  now_ = clock::now();
  while (!is_stopped_) {
    const int count = ::epoll_wait(epoll_.get(), events_->told.data(),
                                   static_cast<int>(events_per_turn), time_to_wait());
    now_ = clock::now();
    meter_.begin_turn();
    tell_again(when::soon);
    tell_ready(std::max(count, 0));
    tell_again(when::later);
    run_due();
    run_posted();
    retired_.clear();
  }
}

void event_loop::tell_ready(int count) {
  events_->count = count;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events_->told[static_cast<std::size_t>(i)];
    if (i + 1 < count) prefetch(events_->told[static_cast<std::size_t>(i) + 1].data.ptr);
    if (event.data.ptr == nullptr) continue;
    const bool hung_up = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    const readiness now{hung_up || (event.events & EPOLLIN) != 0,
                        hung_up || (event.events & EPOLLOUT) != 0, hung_up,
                        (event.events & EPOLLERR) != 0};
    done_unless_memory_fails([&] { static_cast<watcher*>(event.data.ptr)->on_ready(now); });
  }
  events_->count = 0;
}

void event_loop::tell_again(when asked) {
  for (const auto of : {standing::known, standing::stranger}) {
    tell_again(waiting_[index(asked, of)]);
  }
}

void event_loop::tell_again(std::vector<watcher*>& waiting) {
  const std::size_t count = waiting.size();  // those that ask meanwhile wait a turn
  std::size_t told = 0;
  bool is_over = false;  // at least one goes on
  while (told < count && !is_over) {
    watcher* const again = std::exchange(waiting[told++], nullptr);
    if (again == nullptr) continue;
    done_unless_memory_fails([&] { again->on_ready({}); });
    is_over = meter_.is_turn_over();
  }
  waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(told));
}

void event_loop::run_due() {
  for (repeated& one : repeated_) {
    if (one.due > now_) continue;
    one.due = now_ + one.interval;
    done_unless_memory_fails(one.task);
  }
  // Each may add another.
  const auto first_due = std::partition(delayed_.begin(), delayed_.end(),
                                        [&](const delayed& one) { return one.due > now_; });
  std::vector<delayed> due{std::make_move_iterator(first_due),
                           std::make_move_iterator(delayed_.end())};
  delayed_.erase(first_due, delayed_.end());
  for (const delayed& one : due) done_unless_memory_fails(one.task);
}

void event_loop::run_posted() {
  std::uint64_t woken = 0;
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    if (posted_.empty()) return;
    [[maybe_unused]] const auto size = ::read(wake_.get(), &woken, sizeof woken);
    tasks.swap(posted_);
  }
  for (const auto& task : tasks) done_unless_memory_fails(task);
}

void event_loop::stop() {
  post([this] { is_stopped_ = true; });
}

}  // namespace scattergate::net
