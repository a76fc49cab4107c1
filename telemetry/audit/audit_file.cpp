#include "telemetry/audit/audit_file.hpp"

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "telemetry/patient_write.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::chrono::milliseconds patience{1000};

/// Opens a file for appending. O_NONBLOCK: opening a FIFO without a reader fails at once, and
/// an unread FIFO can't block the thread.
net::unique_fd open_for_append(const std::string& path) noexcept {
  constexpr mode_t mode = 0640;
  constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  return net::unique_fd{::open(path.c_str(), flags, mode)};
}

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

}  // namespace scattergate::telemetry
