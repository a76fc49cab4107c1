#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/unique_fd.hpp"

namespace scattergate::telemetry {

/// The audit log's file: a path, or `-` for standard output. After a partial write, the rest of
/// the line (its tail) is written before anything else, so that no line is garbled. A write to
/// a pipe that isn't read fails after a second. Thread-safety: one thread, which must block
/// SIGPIPE.
class audit_file {
 public:
  enum class outcome {
    written,
    cut,     ///< partly written: call finish_tail() to write the rest
    failed,  ///< nothing was written
  };

  /// Opens `path` for appending; creates it with mode 0640. Throws std::runtime_error.
  explicit audit_file(std::string path);

  /// Appends a line, which includes its newline. REQUIRES: !has_tail().
  [[nodiscard]] outcome write(std::string line);

  [[nodiscard]] bool has_tail() const noexcept { return !tail_.empty(); }

  /// Writes the tail. Returns true if none is left.
  [[nodiscard]] bool finish_tail();

  /// The errno of the last partial or failed write.
  [[nodiscard]] int error() const noexcept { return error_; }

  /// Reopens the path. On failure, returns false and keeps the old file. If the old file can't
  /// take the tail, writes the whole line to the new one.
  [[nodiscard]] bool reopen();

 private:
  [[nodiscard]] std::size_t write_some(std::string_view text);
  [[nodiscard]] bool is_stdout() const noexcept { return path_ == "-"; }
  [[nodiscard]] int fd() const noexcept;
  void end_last_line();

  std::string path_;
  net::unique_fd file_;           // empty for standard output
  std::string tail_;              // a partly written line
  std::size_t tail_written_ = 0;  // how many of its bytes are written
  int error_ = 0;
};

}  // namespace scattergate::telemetry
