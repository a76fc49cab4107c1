#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "telemetry/audit/audit_file.hpp"
#include "telemetry/audit/audit_totals.hpp"
#include "telemetry/audit/finding_ledger.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

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
