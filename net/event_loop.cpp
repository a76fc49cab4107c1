#include "net/event_loop.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>

#include "net/failing_memory.hpp"
#include "net/transport.hpp"

namespace scattergate::net {
namespace {

unique_fd opened(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return unique_fd{fd};
}

}  // namespace

event_loop::event_loop(work_meter& meter, engine_kind kind)
    : wake_(opened(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      engine_(make_engine(kind, wake_.get())),
      meter_(meter) {}

event_loop::~event_loop() = default;

bool event_loop::watch(transport& socket, watcher& by) {
  return engine_->watch(socket, by);
}

bool event_loop::watch_listener(int fd, watcher& by) {
  return engine_->watch_listener(fd, by);
}

void event_loop::unwatch_listener(int fd, const watcher& by) noexcept {
  engine_->unwatch_listener(fd, by);
  forget(by);
}

void event_loop::forget(const watcher& by) noexcept {
  engine_->forget(by);
  for (auto& waiting : waiting_) {
    std::replace(waiting.begin(), waiting.end(), const_cast<watcher*>(&by),
                 static_cast<watcher*>(nullptr));
  }
}

void event_loop::make_room_for(std::size_t watchers) {
  const std::size_t needed = watchers + retired_.size();
  if (needed <= retired_.capacity()) return;
  const std::size_t room = std::max(2 * retired_.capacity(), needed);
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

std::optional<std::chrono::milliseconds> event_loop::time_to_wait() const noexcept {
  using std::chrono::milliseconds;
  for (const auto& waiting : waiting_) {
    if (!waiting.empty()) return milliseconds{0};
  }
  if (repeated_.empty() && delayed_.empty()) return std::nullopt;
  clock::time_point next = clock::time_point::max();
  for (const repeated& one : repeated_) next = std::min(next, one.due);
  for (const delayed& one : delayed_) next = std::min(next, one.due);
  return std::max(std::chrono::ceil<milliseconds>(next - now_), milliseconds{0});
}

void event_loop::run() {
  now_ = clock::now();
  while (!is_stopped_) {
    engine_->wait(time_to_wait());
    now_ = clock::now();
    meter_.begin_turn();
    call_again(when::soon);
    engine_->tell();
    call_again(when::later);
    run_due();
    run_posted();
    retired_.clear();
  }
  engine_->finish();
}

void event_loop::call_again(when asked) {
  for (const auto of : {standing::known, standing::stranger}) {
    call_again(waiting_[index(asked, of)]);
  }
}

void event_loop::call_again(std::vector<watcher*>& waiting) {
  const std::size_t count = waiting.size();  // those that ask meanwhile wait a turn
  std::size_t called = 0;
  bool is_over = false;  // at least one goes on
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
