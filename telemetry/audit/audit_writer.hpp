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

/// Writes audit lines for a ledger's findings. Counts whose line can't be written stay
/// outstanding. Thread-safety: one thread; any thread may read the totals.
class audit_writer {
 public:
  /// `file`: a path, `-` or `off`. Throws std::runtime_error if it can't be opened. `of` and
  /// `totals` must outlive this object.
  audit_writer(std::string file, finding_ledger& of, audit_totals& totals);

  /// Writes a line for each finding that is due immediately. Does nothing after a failed write,
  /// until write_all(). `local`: the listener's address.
  [[nodiscard]] text::result<void> write_due(std::string_view local);

  /// Writes a line for each finding with outstanding commands, until a write fails.
  [[nodiscard]] text::result<void> write_all(std::string_view local);

  /// Whether the last write failed. If so, nothing is written until write_all().
  [[nodiscard]] bool is_failing() const noexcept { return is_failing_; }

  /// Reopens the file and resumes writing.
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
