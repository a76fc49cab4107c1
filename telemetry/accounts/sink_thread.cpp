#include "telemetry/accounts/sink_thread.hpp"

#include <exception>
#include <utility>

#include "net/failing_memory.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {

void sink_thread::start() {
  thread_ = std::thread{[this] { run(); }};
}

void sink_thread::wake() noexcept {
  {
    const std::lock_guard lock{mutex_};
    is_requested_ = true;
  }
  wake_.notify_all();
}

void sink_thread::end_soon() noexcept {
  {
    const std::lock_guard lock{mutex_};
    is_closing_ = true;
  }
  wake_.notify_all();
}

bool sink_thread::has_ended_by(sink::clock::time_point deadline) {
  std::unique_lock lock{mutex_};
  return wake_.wait_until(lock, deadline, [this] { return has_ended_; });
}

void sink_thread::close() {
  end_soon();
  const std::lock_guard lock{join_mutex_};
  if (thread_.joinable()) thread_.join();
}

void sink_thread::run() {
  log::begin_thread(settings_.name);
  auto next = sink::clock::now();
  for (bool is_last = false; !is_last;) {
    {
      std::unique_lock lock{mutex_};
      wake_.wait_until(lock, next, [this] { return is_closing_ || is_requested_; });
      is_last = is_closing_;
      is_requested_ = false;
    }
    // In the last turn, retry out-of-memory failures at once.
    for (int tries = is_last ? last_tries : 1; tries > 0; --tries) {
      const bool has_thrown = !take_turn(is_last, next);
      if (!has_thrown) break;
    }
  }
  {
    const std::lock_guard lock{mutex_};
    has_ended_ = true;
  }
  wake_.notify_all();
}

/// Runs one turn, and sets `next` to when the next one is due. False if the turn threw.
bool sink_thread::take_turn(bool is_last, sink::clock::time_point& next) noexcept {
  sink::outcome came{.done = text::problem{}, .next = sink::clock::now() + try_again};
  bool has_thrown = true;
  try {
    came = sink_.run_turn(is_last);
    has_thrown = false;
  } catch (const std::bad_alloc&) {
    came.done = text::failure("out of memory");  // short enough not to allocate
  } catch (const std::exception& thrown) {
    (void)net::done_unless_memory_fails([&] { came.done = text::failure(thrown.what()); });
  }
  if (came.done && !*came.done && settings_.failures != nullptr) {
    settings_.failures->fetch_add(1, std::memory_order_relaxed);
  }
  (void)net::done_unless_memory_fails([&] { update_condition(came); });
  next = came.next;
  return !has_thrown;
}

void sink_thread::update_condition(const sink::outcome& of) {
  condition_board* const board = settings_.conditions;
  if (board == nullptr || !of.done) return;
  if (!*of.done) {
    is_raised_ = true;
    board->raise(settings_.failing, settings_.subject, to_string(of.done->error()));
  } else if (std::exchange(is_raised_, false)) {
    board->clear(settings_.failing, settings_.subject);
  }
}

}  // namespace scattergate::telemetry
