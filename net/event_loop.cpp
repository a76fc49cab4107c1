#include "net/event_loop.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "net/failing_memory.hpp"
#include "net/transport.hpp"

namespace scattergate::net {
namespace {

unique_fd opened(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return unique_fd{fd};
}

constexpr std::chrono::milliseconds timer_repeat{50};

timespec timespec_of(std::chrono::nanoseconds time) noexcept {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {seconds.count(), (time - seconds).count()};
}

}  // namespace

event_loop::event_loop(work_meter& meter, engine_kind kind)
    : wake_(opened(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      timer_(opened(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
                    "timerfd_create")),
      engine_(make_engine(kind, {wake_.get(), timer_.get()})),
      meter_(meter) {}

event_loop::~event_loop() = default;

bool event_loop::watch(transport& socket, watcher& notified) {
  return engine_->watch(socket, notified);
}

void event_loop::unwatch(const transport& socket, const watcher& notified) noexcept {
  engine_->unwatch(socket);
  forget(notified);
}

bool event_loop::watch_listener(int fd, watcher& notified) {
  return engine_->watch_listener(fd, notified);
}

void event_loop::unwatch_listener(int fd, const watcher& notified) noexcept {
  engine_->unwatch_listener(fd, notified);
  forget(notified);
}

void event_loop::forget(const watcher& notified) noexcept {
  engine_->forget(notified);
  writes_.forget(notified);
  for (auto& waiting : waiting_) {
    std::replace(waiting.begin(), waiting.end(), const_cast<watcher*>(&notified),
                 static_cast<watcher*>(nullptr));
  }
}

void event_loop::make_room_for(std::size_t watchers) {
  const std::size_t needed = watchers + retired_.size();
  if (needed <= retired_.capacity()) return;
  const std::size_t room = std::max(2 * retired_.capacity(), needed);
  // Twice the room: watchers that ask to be resumed during a turn are appended to those that
  // the turn began with.
  for (auto& waiting : waiting_) waiting.reserve(2 * room);
  retired_.reserve(room);
}

void event_loop::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
    has_posted_.store(true, std::memory_order_release);
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

bool event_loop::has_waiting() const noexcept {
  return std::ranges::any_of(waiting_, [](const auto& each) { return !each.empty(); });
}

event_loop::clock::time_point event_loop::next_due() const noexcept {
  clock::time_point next = clock::time_point::max();
  for (const repeated& one : repeated_) next = std::min(next, one.due);
  for (const delayed& one : delayed_) next = std::min(next, one.due);
  return next;
}

/// Makes the timer end the wait when the next task is due. A timeout of the wait would cost a
/// kernel timer per wait: 6 % of the CPU time of a request if the loop serves one connection.
void event_loop::arm_timer() noexcept {
  const clock::time_point due = next_due();
  if (due == armed_) return;
  armed_ = due;
  itimerspec times{};
  if (due != clock::time_point::max()) {
    times.it_value = timespec_of(due.time_since_epoch());
    // Repeats, in case an engine reports it before now_ has reached `due`.
    times.it_interval = timespec_of(timer_repeat);
  }
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &times, nullptr);
}

void event_loop::run() {
  now_ = clock::now();
  while (!is_stopped_) {
    arm_timer();
    engine_->wait(has_waiting() ? std::optional{std::chrono::milliseconds{0}} : std::nullopt);
    now_ = clock::now();
    meter_.begin_turn();
    call_again(when::soon);
    engine_->dispatch(writes_);
    call_again(when::later);
    run_due();
    run_posted();
    retired_.clear();
  }
  engine_->finish();
}

void event_loop::call_again(when asked) {
  for (const auto of : {priority::known, priority::stranger}) {
    auto& waiting = waiting_[index(asked, of)];
    if (!waiting.empty()) call_again(waiting);
  }
}

void event_loop::call_again(std::vector<watcher*>& waiting) {
  const std::size_t count = waiting.size();  // watchers added meanwhile run in the next turn
  std::size_t called = 0;
  bool is_over = false;  // false at first: at least one is resumed
  while (called < count && !is_over) {
    watcher* const again = std::exchange(waiting[called++], nullptr);
    if (again == nullptr) continue;
    done_unless_memory_fails([&] { again->on_ready({}); });
    is_over = meter_.is_turn_over();
  }
  waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(called));
}

void event_loop::run_due() {
  for (repeated& one : repeated_) {
    if (one.due > now_) continue;
    one.due = now_ + one.interval;
    done_unless_memory_fails(one.task);
  }
  if (delayed_.empty()) return;
  // Run from a vector of their own, because a task may add another.
  const auto first_due = std::partition(delayed_.begin(), delayed_.end(),
                                        [&](const delayed& one) { return one.due > now_; });
  std::vector<delayed> due{std::make_move_iterator(first_due),
                           std::make_move_iterator(delayed_.end())};
  delayed_.erase(first_due, delayed_.end());
  for (const delayed& one : due) done_unless_memory_fails(one.task);
}

void event_loop::run_posted() {
  if (!has_posted_.load(std::memory_order_acquire)) return;
  std::uint64_t woken = 0;
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    has_posted_.store(false, std::memory_order_relaxed);
    [[maybe_unused]] const auto size = ::read(wake_.get(), &woken, sizeof woken);
    tasks.swap(posted_);
  }
  for (const auto& task : tasks) done_unless_memory_fails(task);
}

void event_loop::stop() {
  post([this] { is_stopped_ = true; });
}

}  // namespace scattergate::net
