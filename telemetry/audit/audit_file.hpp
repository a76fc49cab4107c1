#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/unique_fd.hpp"

namespace scattergate::telemetry {

/// The file that audit lines are appended to: a path, or `-` for standard output. A line that
/// only a part of could be written is remembered, and its rest written before anything else,
/// so that no line is ever garbled. Where the other end of a pipe doesn't read, a write gives
/// up after a second. The writing thread must have SIGPIPE blocked.
class audit_file {
 public:
  enum class outcome {
    written,
    cut,     ///< a part was written: the line is the file's now, finish_tail() writes the rest
    failed,  ///< nothing was written
  };

  /// Opens `path`, created with mode 0640. Throws std::runtime_error where that fails.
  explicit audit_file(std::string path);

  /// Appends a line, its newline included. Only while there is no tail.
  [[nodiscard]] outcome write(std::string line);

  [[nodiscard]] bool has_tail() const noexcept { return !tail_.empty(); }

  /// Writes the rest of a line that was cut. True when there is no tail any more.
  [[nodiscard]] bool finish_tail();

  /// errno of the write that fell short last.
  [[nodiscard]] int error() const noexcept { return error_; }

  /// Opens the path anew. False where that fails: the old file stays in use. A tail that the
  /// old file has no room for is written to the new one as the whole line.
  [[nodiscard]] bool reopen();

 private:
  [[nodiscard]] std::size_t write_some(std::string_view text);
  [[nodiscard]] bool is_stdout() const noexcept { return path_ == "-"; }
  [[nodiscard]] int fd() const noexcept;
  void end_last_line();

  std::string path_;
  net::unique_fd file_;           // none where that is standard output
  std::string tail_;              // a line that was cut
  std::size_t tail_written_ = 0;  // how much of it is in the file
  int error_ = 0;
};

}  // namespace scattergate::telemetry
