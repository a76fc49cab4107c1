#include "telemetry/audit/audit_log.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "telemetry/audit/audit_writer.hpp"
#include "telemetry/own_thread.hpp"

namespace scattergate::telemetry {
namespace {

using clock = std::chrono::steady_clock;

/// How soon a file that can't be written is tried again, unless the interval is shorter. Not at
/// once: a pipe that nobody reads takes a second each time.
constexpr std::chrono::seconds try_again{2};

}  // namespace

struct audit_log::impl {
  impl(settings with, live_digest& into, on_new_shape new_shape)
      : digest(into),
        writer(std::move(with.file), with.max_shapes, std::move(new_shape), totals,
               with.conditions),
        interval(with.interval),
        quiet(with.quiet),
        local(std::move(with.local)),
        thread([this] { run(); }) {}

  void submit(std::vector<shape_delta> deltas);

  void close();
  void run();
  template <typename Change>
  void change(Change change) {
    {
      const std::lock_guard lock{mutex};
      change();
    }
    wake.notify_one();
  }

  audit_totals totals;
  std::atomic<std::size_t> waiting{0};  // how many shapes are in the inbox
  live_digest& digest;
  audit_writer writer;  // the thread's own, but for its construction

  std::mutex mutex;  // guards what follows, up to `thread`
  std::condition_variable wake;
  std::vector<std::vector<shape_delta>> inbox;  // as handed over: nothing is moved under it
  std::chrono::milliseconds interval;
  std::chrono::nanoseconds quiet;
  std::string local;
  bool reopen_asked = false;
  bool interval_changed = false;
  bool closing = false;

  std::mutex close_mutex;
  std::thread thread;
};

void audit_log::impl::submit(std::vector<shape_delta> deltas) {
  std::uint64_t commands = 0;
  for (const shape_delta& delta : deltas) {
    if (delta.details->is_finding()) commands += delta.count;
  }
  if (deltas.empty()) return;
  totals.outstanding.fetch_add(commands, std::memory_order_relaxed);
  waiting.fetch_add(deltas.size(), std::memory_order_relaxed);
  change([&] { inbox.push_back(std::move(deltas)); });
}

void audit_log::impl::run() {
  block_signals();
  std::unique_lock lock{mutex};
  clock::time_point due = clock::now() + interval;
  for (bool closed = false; !closed;) {
    wake.wait_until(lock, due, [this] {
      return closing || reopen_asked || interval_changed || !inbox.empty();
    });
    closed = closing;
    if (std::exchange(interval_changed, false)) due = clock::now() + interval;
    const bool reopen = std::exchange(reopen_asked, false);
    auto handed_over = std::exchange(inbox, {});
    const std::string local_now = local;
    const auto quiet_now = quiet;
    const bool is_due = closed || clock::now() >= due;
    if (is_due) due = clock::now() + interval;
    lock.unlock();
    try {
      if (reopen) writer.reopen();
      for (const auto& deltas : handed_over)  // whatever becomes of them
        waiting.fetch_sub(deltas.size(), std::memory_order_relaxed);
      for (std::vector<shape_delta>& deltas : handed_over) {
        writer.add(deltas);
        writer.write_of(digest.add(deltas), local_now);
      }
      if (is_due) {
        writer.write_all(local_now);
        writer.give_back_quiet(quiet_now);
      } else {
        writer.write_first_lines(local_now);
      }
    } catch (const std::bad_alloc&) {
      // What was being written stays outstanding; the next turn tries again.
      totals.write_failures.fetch_add(1, std::memory_order_relaxed);
    }
    if (writer.is_failing()) due = std::min(due, clock::now() + try_again);
    lock.lock();
  }
}

void audit_log::impl::close() {
  change([this] { closing = true; });
  const std::lock_guard lock{close_mutex};
  if (thread.joinable()) thread.join();
}

audit_log::audit_log(settings with, live_digest& into, on_new_shape new_shape)
    : impl_(std::make_unique<impl>(std::move(with), into, std::move(new_shape))) {}

audit_log::~audit_log() {
  close();
}

bool audit_log::has_room() const noexcept {
  return impl_->waiting.load(std::memory_order_relaxed) < most_waiting;
}

void audit_log::submit(std::vector<shape_delta> deltas) {
  impl_->submit(std::move(deltas));
}

void audit_log::reopen() {
  impl_->change([this] { impl_->reopen_asked = true; });
}

void audit_log::set_times(std::chrono::milliseconds interval, std::chrono::nanoseconds quiet) {
  impl_->change([this, interval, quiet] {
    impl_->interval = interval;
    impl_->quiet = quiet;
    impl_->interval_changed = true;
  });
}

void audit_log::set_local(std::string local) {
  impl_->change([this, &local] { impl_->local = std::move(local); });
}

void audit_log::close() {
  impl_->close();
}

audit_log::counts audit_log::totals() const {
  const audit_totals& totals = impl_->totals;
  const auto get = [](const auto& count) { return count.load(std::memory_order_relaxed); };
  return {.lines = get(totals.lines),
          .bytes = get(totals.bytes),
          .write_failures = get(totals.write_failures),
          .findings = get(totals.findings),
          .overflow = get(totals.overflow),
          .outstanding = get(totals.outstanding),
          .given_back = get(totals.given_back)};
}

}  // namespace scattergate::telemetry
