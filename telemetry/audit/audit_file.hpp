#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/unique_fd.hpp"

namespace scattergate::telemetry {

/// The file of the audit log. If a line was only partly written, its rest (the tail) is written
/// before anything else, so that no line is garbled. A write to a pipe that isn't read fails
/// after a second. Thread-safety: one thread, which must block SIGPIPE.
class audit_file {
 public:
  /// The result of writing a line.
  enum class outcome {
    written,
    cut,     ///< partly written: call finish_tail() to write the rest
    failed,  ///< nothing was written
  };

  /// Opens `path` for appending; creates the file with mode 0640 if necessary. `-`: standard
  /// output. If the file ends inside a line, as after a crash, has_tail() is true, and the tail
  /// is a newline. Throws std::runtime_error if the file can't be opened.
  explicit audit_file(std::string path);

  /// Appends a line, which includes its newline. REQUIRES: !has_tail().
  [[nodiscard]] outcome write(std::string line);

  /// Whether a tail (the rest of a partly written line) waits for finish_tail().
  [[nodiscard]] bool has_tail() const noexcept { return !tail_.empty(); }

  /// Tries to write the tail. Returns whether no tail is left.
  [[nodiscard]] bool finish_tail();

  /// The errno of the last partial or failed write.
  [[nodiscard]] int error() const noexcept { return error_; }

  /// Reopens the path, after a log rotation. On failure, returns false and keeps the old file.
  /// First tries to write the tail to the old file; if that fails, the whole line goes to the
  /// new file. Does nothing for standard output.
  [[nodiscard]] bool reopen();

 private:
  [[nodiscard]] std::size_t write_some(std::string_view text);
  [[nodiscard]] bool is_stdout() const noexcept { return path_ == "-"; }
  [[nodiscard]] int fd() const noexcept;
  void end_last_line();

  std::string path_;
  net::unique_fd file_;           // empty for standard output
  std::string tail_;              // a partly written line
  std::size_t tail_written_ = 0;  // number of bytes of `tail_` that are written
  int error_ = 0;
};

}  // namespace scattergate::telemetry
