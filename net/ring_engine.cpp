#include "net/ring_engine.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <poll.h>

#include "net/failing_memory.hpp"
#include "net/ring_link.hpp"
#include "net/transport.hpp"

namespace scattergate::net {
namespace {

/// If the peer of a closed connection doesn't read what was sent, the connection is reset after
/// one to two times this duration.
constexpr std::chrono::seconds closing_time{5};

/// How long finish() waits for closed connections to send their bytes, and again for cancelled
/// requests to complete.
constexpr std::chrono::seconds finishing_time{1};
constexpr std::chrono::milliseconds finishing_step{10};

}  // namespace

ring_engine::ring_engine(const wake_fds& wakes) {
  for (std::size_t i = 0; i < wakes.size(); ++i) {
    wakes_[i].fd = wakes[i];
    arm(wakes_[i]);
  }
}

ring_engine::~ring_engine() {
  destroy_retired();
  for (ring_link* each : closing_) delete each;
}

void ring_engine::arm(wake& polled) noexcept {
  io_uring_prep_poll_multishot(ring_.next(ring_op::wake, &polled), polled.fd, POLLIN);
}

bool ring_engine::make_room_for(std::size_t links) {
  return done_unless_memory_fails([&] {
    for (auto* list : {&written_, &closing_, &retired_}) {
      if (list->capacity() < links) list->reserve(2 * links);
    }
  });
}

bool ring_engine::watch(transport& socket, watcher& notified) {
  if (!socket.is_open() || !make_room_for(links_ + 1)) return false;
  auto* const link = new (std::nothrow) ring_link(*this, socket.release(), notified);
  if (link == nullptr) return false;
  ++links_;
  link->start();
  socket.move_to(*link);
  return true;
}

void ring_engine::note_closing(ring_link& closing) noexcept {
  closing.place = static_cast<std::uint32_t>(closing_.size());
  closing_.push_back(&closing);
}

void ring_engine::retire(ring_link& idle) noexcept {
  ring_link* const last = closing_.back();
  last->place = idle.place;
  closing_[idle.place] = last;
  closing_.pop_back();
  retired_.push_back(&idle);
}

void ring_engine::destroy_retired() noexcept {
  for (ring_link* each : retired_) delete each;
  links_ -= retired_.size();
  retired_.clear();
}

bool ring_engine::watch_listener(int fd, watcher& notified) {
  return done_unless_memory_fails([&] {
    listeners_.push_back(std::make_unique<listener>(listener{fd, &notified, false}));
    arm(*listeners_.back());
  });
}

void ring_engine::arm(listener& polled) noexcept {
  polled.is_polled = true;
  io_uring_prep_poll_add(ring_.next(ring_op::accept, &polled), polled.fd, POLLIN);
}

/// Submits the cancellation at once: an active poll keeps the socket open in the kernel, which
/// would queue connections for it although the caller has closed it.
void ring_engine::unwatch_listener(int, const watcher& notified) noexcept {
  for (const auto& each : listeners_) {
    if (each->notified != &notified) continue;
    each->notified = nullptr;
    if (each->is_polled && !is_over_) ring_.cancel(ring_op::accept, each.get());
  }
  std::erase_if(listeners_,
                [](const auto& each) { return !each->notified && !each->is_polled; });
  if (!is_over_) ring_.submit();
}

void ring_engine::deliver(listener& ready, const ring_event& event) {
  // is_polled stays true, because unwatch_listener() erases listeners that aren't polled.
  if (ready.notified != nullptr && event.result > 0) {
    done_unless_memory_fails([&] { ready.notified->on_ready({true, false, false, false}); });
  }
  // Completes at once if connections still wait.
  if (ready.notified != nullptr) return arm(ready);
  std::erase_if(listeners_, [&](const auto& each) { return each.get() == &ready; });
}

void ring_engine::submit_written() noexcept {
  for (ring_link* each : written_) each->submit();
  written_.clear();
}

void ring_engine::check_closing(clock::time_point now) noexcept {
  if (now < next_check_) return;
  next_check_ = now + closing_time;
  for (ring_link* each : closing_) {
    if (each->note_late()) each->give_up();
  }
}

void ring_engine::wait(std::optional<std::chrono::milliseconds> longest) {
  submit_written();
  destroy_retired();
  if (!closing_.empty()) {
    check_closing(clock::now());
    const std::chrono::milliseconds most = closing_time;
    longest = std::min(longest.value_or(most), most);
  }
  ring_.submit_and_wait(longest);
}

/// Never opens a batch: the ring itself submits the writes of a turn together.
void ring_engine::dispatch(write_batch&) {
  const auto look_ahead = [](const ring_event& next) {
    if (next.what != ring_op::receive && next.what != ring_op::poll) return;
    prefetch(static_cast<const ring_link*>(next.owner)->notified());
  };
  const auto take = [this](const ring_event& event) {
    switch (event.what) {
      case ring_op::wake:
        if (!event.goes_on() && !is_over_) arm(*static_cast<wake*>(event.owner));
        return;
      case ring_op::accept:
        return deliver(*static_cast<listener*>(event.owner), event);
      case ring_op::receive:
      case ring_op::poll:
      case ring_op::send:
        return static_cast<ring_link*>(event.owner)->take(event);
      case ring_op::ignored:
        return;
    }
  };
  ring_.for_each_event(take, look_ahead);
}

/// Sends what was written before the loop ended, then cancels all requests, so that the kernel
/// no longer uses our memory or sockets.
void ring_engine::finish() noexcept {
  const auto until_done = [this](const auto& is_done) {
    const auto latest = clock::now() + finishing_time;
    while (!is_done() && clock::now() < latest) {
      wait(finishing_step);
      write_batch none;
      dispatch(none);
    }
  };
  for (const auto& each : listeners_) each->notified = nullptr;
  until_done([this] { return closing_.empty() && written_.empty(); });
  ring_.cancel_all();
  is_over_ = true;
  until_done([this] { return ring_.outstanding() == 0; });
}

}  // namespace scattergate::net
