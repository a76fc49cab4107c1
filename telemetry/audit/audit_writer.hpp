#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/unique_fd.hpp"
#include "telemetry/audit/finding_ledger.hpp"
#include "text/problem.hpp"

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

/// Writes the lines of the audit log: takes findings with their counts from a finding_ledger,
/// and writes them to the file. If a line can't be written, its counts stay in the ledger.
/// Thread-safety: one thread; any thread may read the totals.
class audit_writer {
 public:
  /// `file`: a path, `-` for standard output, or `off`, which discards the counts. Throws
  /// std::runtime_error if the file can't be opened. `of` and `totals` must outlive this
  /// object.
  audit_writer(std::string file, finding_ledger& of, audit_totals& totals);

  /// Writes a line for each finding that is due (finding_ledger::first_due()). Returns a
  /// problem if a write fails; after that, does nothing until write_all() or reopen(). `local`:
  /// the listener's address as configured, for the lines' member `local`.
  [[nodiscard]] text::result<void> write_due(std::string_view local);

  /// Writes a line for each finding with outstanding commands. Returns a problem at the first
  /// write that fails. Call it once per interval. `local`: the listener's address as
  /// configured, for the lines' member `local`.
  [[nodiscard]] text::result<void> write_all(std::string_view local);

  /// Whether the last write failed. If true, write_due() does nothing.
  [[nodiscard]] bool is_failing() const noexcept { return is_failing_; }

  /// Reopens the file, after a log rotation, and resumes writing. On failure, keeps the old
  /// file.
  void reopen();

 private:
  text::result<void> write(finding_ledger::finding& of, std::string_view local);
  text::result<void> finish_tail();
  [[nodiscard]] text::problem failed();
  void count_written(std::uint64_t commands, std::size_t bytes) noexcept;

  std::optional<audit_file> file_;  // empty: off
  finding_ledger& ledger_;
  audit_totals& totals_;
  bool is_failing_ = false;
  std::uint64_t tail_commands_ = 0;  // commands that the partly written line counts
  std::size_t tail_bytes_ = 0;
};

}  // namespace scattergate::telemetry
