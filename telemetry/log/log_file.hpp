#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "net/unique_fd.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry::log {

/// The operational log's file, or standard error. Never waits longer than a second: a line that
/// can't be written by then, because of a full disk or a pipe that isn't read, is lost. After
/// that, lines don't wait until one can be written. If a line was only partly written, its rest
/// is written before the next line. Thread-safety: any thread; all must block SIGPIPE.
class log_file {
 public:
  /// Opens `path` for appending; creates the file for owner and group only. `-`: standard
  /// error.
  [[nodiscard]] static text::result<net::unique_fd> open(const std::string& path);

  /// Uses `opened`, a result of open(), from now on.
  void replace(net::unique_fd opened);

  /// Appends a line, which includes its newline. Returns whether it was written. If not, counts
  /// it as lost if `counts`.
  bool write(const std::string& line, bool counts = true);

  /// Whether lines are lost.
  struct state {
    std::uint64_t lost_lines = 0;            ///< number of lost lines since the start
    std::optional<text::problem> lost_by{};  ///< why the last line couldn't be written; empty:
                                             ///< it was
  };
  [[nodiscard]] state now() const;

 private:
  mutable std::mutex mutex_;  // guards the members below
  net::unique_fd file_;       // empty: standard error
  std::string tail_;          // the rest of a partly written line
  state state_;
};

}  // namespace scattergate::telemetry::log
