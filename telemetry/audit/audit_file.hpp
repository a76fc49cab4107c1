#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/unique_fd.hpp"

namespace scattergate::telemetry {

/// The file to which audit lines are appended: a path, or `-` for standard output. If only part
/// of a line is written, the rest is written before anything else, so no line is garbled. A
/// write to a pipe that isn't read fails after a second. The writing thread must block SIGPIPE.
class audit_file {
 public:
  enum class outcome {
    written,
    cut,     ///< partly written: the file has the line, finish_tail() writes the rest
    failed,  ///< nothing was written
  };

  /// Opens `path`, created with mode 0640. Throws std::runtime_error on failure.
  explicit audit_file(std::string path);

  /// Appends a line with its newline. REQUIRES: no tail is left.
  [[nodiscard]] outcome write(std::string line);

  [[nodiscard]] bool has_tail() const noexcept { return !tail_.empty(); }

  /// Writes the rest of a partly written line. True if no tail is left.
  [[nodiscard]] bool finish_tail();

  /// errno of the last short write.
  [[nodiscard]] int error() const noexcept { return error_; }

  /// Reopens the path. Returns false on failure; the old file stays in use. If the old file has
  /// no room for the tail, the whole line goes to the new file.
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
