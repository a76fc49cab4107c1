#include "telemetry/state/state_keeper.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

#include "config/options/options.hpp"
#include "digest/stored.hpp"
#include "telemetry/history/history_text.hpp"
#include "telemetry/log/log.hpp"
#include "telemetry/own_thread.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

/// How often it is tried to have the file, and for how long at the end.
constexpr milliseconds try_again{500};
constexpr int last_tries = 4;

/// What can't be locked at all, as on some network file systems, isn't anybody's.
bool is_locked_by_another(int file) noexcept {
  return ::flock(file, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR);
}

}  // namespace

state_keeper::state_keeper(settings with, live_digest& digest,
                           std::atomic<std::uint64_t>& failures)
    : settings_(std::move(with)), digest_(digest), failures_(failures), file_(settings_.file) {
  if (settings_.file.empty()) return;
  constexpr mode_t mode = 0640;
  lock_ = net::unique_fd{
      ::open((file_.path() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode)};
  report_at_ = clock::now() + settings_.patience;
  if (!take_over()) report_held();
  thread_ = std::thread{[this] { run(); }};
}

state_keeper::~state_keeper() {
  close();
}

/// Whether the file is ours, now or before. Where no lock can be had at all, as in a folder
/// that can't be written, it is: the writing will say so.
bool state_keeper::take_over() {
  if (is_ours_) return true;
  if (lock_ && is_locked_by_another(lock_.get())) return false;
  read();
  return true;
}

void state_keeper::read() {
  const auto found =
      file_.read(settings_.max_rows);  // where memory fails it, it isn't ours yet
  is_ours_ = true;
  if (!found.error.empty()) {
    log::write(log::severity::warning, log::component::audit, 5011,
               "The state file can't be used", {{"error", found.error}});
  }
  if (!found.history_error.empty()) {
    log::write(log::severity::warning, log::component::audit, 5016,
               "The history in the state file can't be used", {{"error", found.history_error}});
  }
  digest_.add(found.rows);
  digest_.add(found.past);
}

void state_keeper::write() {
  std::string text;
  digest_.look_around([&](const live_digest::view& all) {
    text = digest::stored_text(all.shapes) + stored_history(all.past);
  });
  const std::string why = file_.write(text);
  condition_board* const board = settings_.conditions;
  if (why.empty()) {
    if (board != nullptr) board->clear(condition_kind::state_failing, settings_.file);
    return;
  }
  failures_.fetch_add(1, std::memory_order_relaxed);
  if (board != nullptr) board->raise(condition_kind::state_failing, settings_.file, why);
}

/// A write that was due meanwhile has failed.
void state_keeper::report_held() {
  const auto now = clock::now();
  if (now < report_at_) return;
  report_at_ = now + settings_.interval;
  failures_.fetch_add(1, std::memory_order_relaxed);
  if (settings_.conditions == nullptr) return;
  settings_.conditions->raise(condition_kind::state_failing, settings_.file,
                              "State not saved: another process holds the lock");
}

void state_keeper::take_turn(bool is_last) {
  for (int i = 1; is_last && i < last_tries && !take_over(); ++i) {
    std::this_thread::sleep_for(try_again);
  }
  take_over() ? write() : report_held();
}

void state_keeper::run() {
  block_signals();
  log::set_thread_name("state");
  milliseconds pause{0};
  for (bool closes = false; !closes;) {
    {
      std::unique_lock lock{mutex_};
      closes = wake_.wait_for(lock, pause, [this] { return is_closing_; });
    }
    try {
      take_turn(closes);
    } catch (const std::bad_alloc&) {
      failures_.fetch_add(1, std::memory_order_relaxed);
    }
    pause = is_ours_ ? settings_.interval : try_again;
  }
  if (!is_ours_) {
    log::write(log::severity::error, log::component::audit, 5014,
               "State not saved: another process holds the lock", {{"file", settings_.file}});
  }
}

void state_keeper::close() {
  {
    const std::lock_guard lock{mutex_};
    is_closing_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  lock_ = {};  // the next may have the file
}

state_keeper::settings state_settings_of(const config::options& from,
                                         condition_board& conditions, bool is_successor) {
  // A drain ends when the last connections have been closed and the audit log is written.
  constexpr std::chrono::seconds rest_of_drain{10};
  return {.file = from.state.file,
          .interval = from.state.interval,
          .max_rows = from.audit.max_shapes,
          .conditions = &conditions,
          .patience = is_successor ? from.drain_grace + rest_of_drain : milliseconds{0}};
}

}  // namespace scattergate::telemetry
