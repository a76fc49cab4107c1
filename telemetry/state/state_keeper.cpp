#include "telemetry/state/state_keeper.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

#include "digest/stored.hpp"
#include "telemetry/history/history_text.hpp"
#include "telemetry/log/log.hpp"
#include "telemetry/own_thread.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;

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
  static_cast<void>(take_over());
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

void state_keeper::take_turn(bool is_last) {
  const bool was_ours = is_ours_;
  for (int i = 1; is_last && i < last_tries && !take_over(); ++i) {
    std::this_thread::sleep_for(try_again);
  }
  if (take_over() && (was_ours || is_last)) write();
}

void state_keeper::run() {
  block_signals();
  log::set_thread_name("state");
  for (bool closes = false; !closes;) {
    {
      std::unique_lock lock{mutex_};
      const auto pause = is_ours_ ? settings_.interval : try_again;
      closes = wake_.wait_for(lock, pause, [this] { return is_closing_; });
    }
    try {
      take_turn(closes);
    } catch (const std::bad_alloc&) {
      failures_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  if (!is_ours_) {
    log::write(
        log::severity::error, log::component::audit, 5014,
        "The state file is another process's to the end: what was counted here since the "
        "start isn't in it",
        {{"file", settings_.file}});
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

}  // namespace scattergate::telemetry
