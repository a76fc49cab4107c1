#include "telemetry/audit/audit_writer.hpp"

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "telemetry/audit/audit_line.hpp"
#include "telemetry/log/log.hpp"
#include "telemetry/patient_write.hpp"
#include "text/printable.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::chrono::milliseconds patience{1000};

bool is_same_file(int a, int b) noexcept {
  struct stat status_a {};
  struct stat status_b {};
  return ::fstat(a, &status_a) == 0 && ::fstat(b, &status_b) == 0 &&
         status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino;
}

/// Whether the file ends inside a line, as after a crash or on a full disk.
bool ends_inside_line(const std::string& path) noexcept {
  const net::unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
  if (!file) return false;
  char last = '\n';
  if (is_regular_file(file.get())) {
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    if (size > 0 && ::pread(file.get(), &last, 1, size - 1) != 1) last = '\n';
  }
  return last != '\n';
}

}  // namespace

audit_file::audit_file(std::string path) : path_(std::move(path)) {
  if (!is_stdout()) file_ = open_for_append(path_);
  if (!is_stdout() && !file_) {
    throw std::runtime_error("cannot open the audit log " + path_ + ": " +
                             std::generic_category().message(errno));
  }
  end_last_line();
}

int audit_file::fd() const noexcept {
  return is_stdout() ? STDOUT_FILENO : file_.get();
}

audit_file::outcome audit_file::write(std::string line) {
  const std::size_t written = write_some(line);
  if (written == line.size()) return outcome::written;
  if (written == 0) return outcome::failed;
  tail_ = std::move(line);
  tail_written_ = error_ == EPIPE ? 0 : written;  // a new reader begins with a whole line
  return outcome::cut;
}

bool audit_file::finish_tail() {
  if (!has_tail()) return true;
  tail_written_ += write_some(std::string_view{tail_}.substr(tail_written_));
  if (tail_written_ == tail_.size()) {
    tail_.clear();
    tail_written_ = 0;
    return true;
  }
  if (error_ == EPIPE) tail_written_ = 0;
  return false;
}

bool audit_file::reopen() {
  if (is_stdout()) return true;
  net::unique_fd reopened = open_for_append(path_);
  if (!reopened) return false;
  const bool is_same = is_same_file(reopened.get(), fd());
  if (!finish_tail() && !is_same) tail_written_ = 0;
  file_ = std::move(reopened);
  if (!is_same && !has_tail()) end_last_line();
  return true;
}

/// Writes as much as possible, and returns how many bytes. If that isn't all, error() has the
/// reason.
std::size_t audit_file::write_some(std::string_view text) {
  const written_part done = write_patiently(fd(), text, patience);
  if (done.error != 0) error_ = done.error;
  return done.bytes;
}

void audit_file::end_last_line() {
  if (is_stdout() || !ends_inside_line(path_)) return;
  tail_ = "\n";
  tail_written_ = 0;
}

audit_writer::audit_writer(std::string file, finding_ledger& of, audit_totals& totals)
    : ledger_(of), totals_(totals) {
  if (file != "off") file_.emplace(std::move(file));
}

text::result<void> audit_writer::write_due(std::string_view local) {
  if (is_failing_) return {};
  if (auto finished = finish_tail(); !finished) return finished;
  std::string envelope;
  for (auto* due = ledger_.first_due(); due != nullptr; due = ledger_.first_due()) {
    if (envelope.empty()) envelope = local_json(local);
    if (auto written = write(*due, envelope); !written) return written;
    ledger_.pop_due();
  }
  return {};
}

text::result<void> audit_writer::write_all(std::string_view local) {
  is_failing_ = false;
  if (auto written = write_due(local); !written) return written;
  const std::string envelope = local_json(local);
  for (std::size_t i = 0; auto* const each = ledger_.at(i); ++i) {
    if (auto written = write(*each, envelope); !written) return written;
  }
  return {};
}

void audit_writer::reopen() {
  is_failing_ = false;
  if (file_ && !file_->reopen()) {
    log::write(log::severity::error, log::component::audit, 5001,
               "The audit log can't be reopened; the old file stays in use");
  }
}

/// Writes the finding's line if it has outstanding counts.
text::result<void> audit_writer::write(finding_ledger::finding& of, std::string_view local) {
  shape_delta& owed = of.owed;
  if (owed.count == 0) return {};
  text::result<void> written;
  if (!file_) {
    totals_.outstanding.fetch_sub(owed.count, std::memory_order_relaxed);
  } else {
    std::string line = text::ci_safe(audit_line(owed, local, std::chrono::system_clock::now()),
                                     text::ci_syntax::json);
    const std::size_t bytes = line.size();
    const audit_file::outcome outcome = file_->write(std::move(line));
    if (outcome != audit_file::outcome::written) written = failed();
    if (outcome == audit_file::outcome::failed) return written;
    if (outcome == audit_file::outcome::cut) {
      tail_commands_ = owed.count;
      tail_bytes_ = bytes;
    } else {
      count_written(owed.count, bytes);
    }
  }
  owed = {};
  return written;
}

/// Writes the rest of a partly written line.
text::result<void> audit_writer::finish_tail() {
  if (!file_ || !file_->has_tail()) return {};
  if (!file_->finish_tail()) return failed();
  if (tail_commands_ != 0) count_written(tail_commands_, tail_bytes_);
  tail_commands_ = 0;
  return {};
}

/// Records that a write failed or was short; returns the reason.
text::problem audit_writer::failed() {
  is_failing_ = true;
  return text::failure(write_failure_text(file_->error()));
}

void audit_writer::count_written(std::uint64_t commands, std::size_t bytes) noexcept {
  totals_.lines.fetch_add(1, std::memory_order_relaxed);
  totals_.bytes.fetch_add(bytes, std::memory_order_relaxed);
  totals_.commands.fetch_add(commands, std::memory_order_relaxed);
  totals_.outstanding.fetch_sub(commands, std::memory_order_relaxed);
}

}  // namespace scattergate::telemetry
