#include "telemetry/state/state_keeper.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

#include "config/options/options.hpp"
#include "digest/sketches/stored_sketches.hpp"
#include "digest/stored.hpp"
#include "telemetry/history/history_text.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;

/// The delay between attempts to get the lock, and their number in the last turn.
constexpr milliseconds try_again{500};
constexpr int last_tries = 4;

/// The longest time that a write waits for outstanding counts.
constexpr milliseconds patience{5'000};

/// Whether another process holds the lock. False if the file can't be locked at all, as on some
/// network file systems.
bool is_locked_by_another(int file) noexcept {
  return ::flock(file, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR);
}

/// The lock's queue: the process that waits for the lock holds the first byte of this file, so
/// that a later one, such as the successor's successor, can't overtake it.
struct flock byte_of_queue(short type) noexcept {
  struct flock byte {};
  byte.l_type = type;
  byte.l_whence = SEEK_SET;
  byte.l_len = 1;
  return byte;
}

/// Whether no other process waits for the lock; also true if the file system can't lock the
/// byte.
bool has_turn(int file) noexcept {
  struct flock byte = byte_of_queue(F_WRLCK);
  return ::fcntl(file, F_OFD_SETLK, &byte) == 0 || (errno != EAGAIN && errno != EACCES);
}

void end_turn(int file) noexcept {
  struct flock byte = byte_of_queue(F_UNLCK);
  ::fcntl(file, F_OFD_SETLK, &byte);
}

}  // namespace

save_schedule::clock::duration save_schedule::note_saved(clock::time_point taken,
                                                         clock::time_point done,
                                                         bool has_all) noexcept {
  constexpr int memory = 8;  // a long save hardly matters after this many others
  longest_ = std::max(done - taken, longest_ - longest_ / memory);
  const auto waited = done - (is_known_ ? saved_up_to_ : taken);
  if (has_all || !is_known_) saved_up_to_ = taken;
  is_known_ = true;
  return waited;
}

/// Leaves a reserve: the next save may take twice as long as recent ones, and its thread may
/// wake up late.
save_schedule::clock::time_point save_schedule::next(clock::time_point taken) const noexcept {
  constexpr int parts = 10;
  const auto reserve = interval_ / parts + 2 * longest_;
  return taken + interval_ - std::min(reserve, interval_ / 2);
}

state_keeper::state_keeper(settings configured, live_digest& digest,
                           std::atomic<std::uint64_t>& failures, sketch_book* sketches)
    : settings_(std::move(configured)),
      digest_(digest),
      sketches_(sketches),
      file_(settings_.file),
      schedule_(settings_.interval),
      thread_(*this, {"state", condition_kind::state_failing, settings_.file,
                      settings_.conditions, &failures}) {
  if (settings_.file.empty()) return;
  if (settings_.ledger != nullptr) digest_.keep_unflushed();
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

/// Takes the lock. Returns true if this process may write the file. If locking is impossible,
/// for example in a read-only folder, also returns true: then writing the file reports the
/// problem.
bool state_keeper::take_over() {
  if (is_ours_) return true;
  if (lock_ && (!has_turn(lock_.get()) || is_locked_by_another(lock_.get()))) return false;
  read();
  if (lock_) end_turn(lock_.get());
  return true;
}

/// Adds the file's content to the digest and the ledger. On bad_alloc, this process may not
/// write the file yet, and the next attempt adds the rest. So everything is added once.
void state_keeper::read() {
  if (!found_) {
    found_ = file_.read(settings_.max_rows);
    log_content(*found_);
  }
  digest_.add(found_->rows);
  if (settings_.ledger != nullptr) settings_.ledger->restore(found_->ledger);
  digest_.add(found_->past);
  add_sketches();
  found_.reset();
  is_ours_ = true;
}

/// Adds the file's sketches to the daemon's. Sketches with another salt can't be added, so they
/// are discarded.
void state_keeper::add_sketches() {
  if (sketches_ == nullptr || !found_->sketches || sketches_->add(*found_->sketches)) return;
  log::write(log::severity::warning, log::component::audit, 5018,
             "The sketches in the state file were made with another salt; they are discarded",
             {{"file", settings_.file}});
}

void state_keeper::log_content(const state_file::content& found) {
  for (const auto* each : {&found.problem, &found.history_problem, &found.sketches_problem,
                           &found.ledger_problem}) {
    if (*each && damage_.empty()) damage_ = to_string(**each);
  }
  if (found.problem) {
    log::write(log::severity::warning, log::component::audit, 5011,
               "The state file can't be used; the counts of query shapes start at zero",
               {{"error", to_string(*found.problem)}});
  }
  if (found.history_problem) {
    log::write(log::severity::warning, log::component::audit, 5016,
               "The history in the state file can't be used; the history starts empty",
               {{"error", to_string(*found.history_problem)}});
  }
  if (found.sketches_problem) {
    log::write(log::severity::warning, log::component::audit, 5017,
               "The sketches in the state file can't be used; sketches start empty",
               {{"error", to_string(*found.sketches_problem)}});
  }
  if (found.ledger_problem && settings_.ledger != nullptr) {
    log::write(log::severity::error, log::component::audit, 5024,
               "The fleet's ledger in the state file can't be used; counts for the fleet's "
               "database are lost",
               {{"error", to_string(*found.ledger_problem)}});
  }
}

/// Raises a condition for a day after the file was damaged, unless an operator removes the file
/// that was set aside: this acknowledges the loss.
void state_keeper::report_damage() {
  if (settings_.conditions == nullptr) return;
  const auto now = std::chrono::system_clock::now();
  const std::string aside = file_.set_aside_since(now - std::chrono::hours{24});
  if (aside.empty()) {
    return settings_.conditions->clear(condition_kind::state_damaged, settings_.file);
  }
  std::string detail = damage_;
  if (detail.find(aside) == detail.npos) {
    detail += (detail.empty() ? "set aside as " : "; set aside as ") + aside;
  }
  settings_.conditions->hold(condition_kind::state_damaged, settings_.file, detail);
}

void state_keeper::collect_by(collector collect) {
  const std::lock_guard lock{collect_mutex_};
  collect_ = std::move(collect);
}

/// Collects outstanding counts. Returns true if the digest has everything that was counted
/// before `now`.
bool state_keeper::collect(clock::time_point now) {
  const std::lock_guard lock{collect_mutex_};
  return !collect_ || collect_(now + std::min<milliseconds>(settings_.interval / 4, patience));
}

sink::outcome state_keeper::write() {
  std::string text;
  if (sketches_ != nullptr) {
    sketches_->read(
        [&](const digest::sketch_set& all) { text = digest::stored_sketches(all); });
  }
  digest_.read_view([&](const live_digest::view& all) {
    text = digest::stored_text(all.shapes) + text + stored_history(all.past);
    if (settings_.ledger != nullptr) text += settings_.ledger->text(*all.unflushed);
  });
  auto written = file_.write(text);
  if (written && settings_.ledger != nullptr) settings_.ledger->note_saved();
  return {.done = std::move(written)};
}

/// `waited`: how long counts have waited for the write.
void state_keeper::report_late(clock::duration waited) {
  if (waited <= settings_.interval || settings_.conditions == nullptr) return;
  const auto millis = std::chrono::ceil<milliseconds>(waited).count();
  settings_.conditions->raise(condition_kind::state_late, settings_.file,
                              "counts waited " + std::to_string(millis) + " ms");
}

/// When to write next, after a write.
sink::clock::time_point state_keeper::next_turn(clock::time_point taken, bool is_all,
                                                bool is_written) {
  const auto now = clock::now();
  if (is_written) {
    report_late(schedule_.note_saved(taken, now, is_all));
  } else {
    schedule_.note_failed();
  }
  const auto next = schedule_.next(taken);
  const auto due = settings_.ledger == nullptr ? now : settings_.ledger->freezes_at();
  return due > now ? std::min(next, due) : next;
}

bool state_keeper::save_again() {
  const outcome came = is_ours_ ? write() : outcome{};
  return came.done && *came.done;
}

/// The outcome of a turn while another process holds the lock: a failure if a write is overdue.
sink::outcome state_keeper::held() {
  const auto now = clock::now();
  if (now < report_at_) return {.next = now + try_again};
  report_at_ = now + settings_.interval;
  return {text::failure("State not saved: another process holds the lock"), now + try_again};
}

sink::outcome state_keeper::run_turn(bool is_last) {
  for (int i = 1; is_last && i < last_tries && !take_over(); ++i) {
    std::this_thread::sleep_for(try_again);
  }
  if (take_over()) {
    report_damage();
    const auto taken = clock::now();
    const bool is_all = is_last || collect(taken);
    outcome came = write();
    came.next = next_turn(taken, is_all, came.done && *came.done);
    return came;
  }
  if (is_last) {
    log::write(log::severity::error, log::component::audit, 5014,
               "Counts are lost: at exit, another process held the state file's lock",
               {{"file", settings_.file}});
  }
  return held();
}

void state_keeper::close() {
  thread_.close();
  lock_ = {};  // lets the next process lock the file
}

state_keeper::settings state_settings_of(const config::options& from,
                                         condition_board& conditions, bool is_successor,
                                         fleet_ledger& ledger) {
  // A drain ends only when the last connections are closed and the audit log is written.
  constexpr std::chrono::seconds rest_of_drain{10};
  return {.file = from.state.file,
          .interval = from.state.interval,
          .max_rows = from.audit.max_shapes,
          .conditions = &conditions,
          .patience = is_successor ? from.drain_grace + rest_of_drain : milliseconds{0},
          .ledger = from.fleet.is_on() ? &ledger : nullptr};
}

}  // namespace scattergate::telemetry
