#include "telemetry/state/state_keeper.hpp"

#include <cerrno>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

#include "config/options/options.hpp"
#include "digest/stored.hpp"
#include "telemetry/history/history_text.hpp"
#include "telemetry/log/log.hpp"

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
    : settings_(std::move(with)),
      digest_(digest),
      file_(settings_.file),
      thread_(*this, {"state", condition_kind::state_failing, settings_.file,
                      settings_.conditions, &failures}) {
  if (settings_.file.empty()) return;
  constexpr mode_t mode = 0640;
  lock_ = net::unique_fd{
      ::open((file_.path() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode)};
  report_at_ = clock::now() + settings_.patience;
  (void)take_over();
  thread_.start();
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

/// Where memory fails it, the file isn't ours yet, and what is left of it comes at the next
/// try: what is written then has all of it, once.
void state_keeper::read() {
  if (!found_) {
    found_ = file_.read(settings_.max_rows);
    tell_of(*found_);
  }
  digest_.add(found_->rows);
  digest_.add(found_->past);
  found_.reset();
  is_ours_ = true;
}

void state_keeper::tell_of(const state_file::content& found) {
  if (found.problem) {
    log::write(log::severity::warning, log::component::audit, 5011,
               "The state file can't be used", {{"error", to_string(*found.problem)}});
  }
  if (found.history_problem) {
    log::write(log::severity::warning, log::component::audit, 5016,
               "The history in the state file can't be used",
               {{"error", to_string(*found.history_problem)}});
  }
}

sink::outcome state_keeper::write() {
  std::string text;
  digest_.look_around([&](const live_digest::view& all) {
    text = digest::stored_text(all.shapes) + stored_history(all.past);
  });
  return {file_.write(text), clock::now() + settings_.interval};
}

/// A write that was due meanwhile has failed.
sink::outcome state_keeper::held() {
  const auto now = clock::now();
  if (now < report_at_) return {.next = now + try_again};
  report_at_ = now + settings_.interval;
  return {text::failure("State not saved: another process holds the lock"), now + try_again};
}

sink::outcome state_keeper::turn(bool is_last) {
  for (int i = 1; is_last && i < last_tries && !take_over(); ++i) {
    std::this_thread::sleep_for(try_again);
  }
  if (take_over()) return write();
  if (is_last) {
    log::write(log::severity::error, log::component::audit, 5014,
               "State not saved: another process holds the lock", {{"file", settings_.file}});
  }
  return held();
}

void state_keeper::close() {
  thread_.close();
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
