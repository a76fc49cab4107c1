#pragma once

#include <memory>
#include <string_view>

#include "report/sources/input.hpp"
#include "report/sources/observation.hpp"
#include "text/problem.hpp"

/// Reads what scattergate has written as JSON for people and other programs: lines of the audit
/// log, and saved reports. Both show the fields of a row (digest/row_fields.hpp).
namespace scattergate::report {

/// Reads lines of an audit log (docs/audit.md). Passes each line to an observer as a row of a
/// digest (the table of shapes), with the line's verdict.
class audit_lines {
 public:
  audit_lines();
  ~audit_lines();

  /// Reads one line; `to` counts an unreadable or too long one as skipped. REQUIRES:
  /// input_lines::padding bytes after the line are readable.
  void read(std::string_view line, observer& to);

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

/// Whether bytes begin a report saved as JSON (docs/report.schema.json).
[[nodiscard]] bool is_saved_report(std::string_view begins);

/// Size limit of saved reports, in bytes.
inline constexpr std::size_t max_saved_report_bytes = 64UL << 20;

/// Reads a saved report into a digest (a table of shapes) of at most `max_rows` shapes, and
/// passes it to `to`. Does the same with the report's shard requests. Passes nothing on
/// failure. The totals are exact. Two facts are lost, because reports omit them: the
/// distribution of times, and the routing class of each command. All commands of a shape count
/// under the shape's worst routing class.
[[nodiscard]] text::result<void> read_saved_report(input& from, std::size_t max_rows,
                                                   observer& to);

}  // namespace scattergate::report
