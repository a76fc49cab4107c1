#pragma once

#include <memory>
#include <string_view>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Extracts log lines from the text or JSON that container runtimes and log collectors put
/// around them. Detects the form by each line's content:
/// - text before the line: CRI (`2026-11-22T04:51:21.2Z stdout F {...}`), `kubectl logs` with
///   --prefix or --timestamps, Docker Compose, syslog (RFC 3164 and 5424), and similar;
/// - JSON around the line, by the member that has the line: Docker's json-file (`log`),
///   journald (`MESSAGE`, a text or its bytes), log collectors (`message`).
///
/// Joins lines that CRI, Docker or journald have split, even if several streams are
/// interleaved. Keeps at most 64 incomplete lines, of input_lines::max_line_bytes in total.
class wrapped_lines {
 public:
  wrapped_lines();
  ~wrapped_lines();

  /// The log line inside `line`, or `line` itself if it isn't wrapped; valid until the next
  /// call. May be longer than `line`, if it was joined from parts. Empty: the log line isn't
  /// complete yet, or was skipped and counted by `to`. REQUIRES: input_lines::padding bytes
  /// after `line` are readable; they are readable after the result too.
  [[nodiscard]] std::string_view take(std::string_view line, observer& to);

  /// Ends the input: `to` counts the incomplete lines as skipped.
  void finish(observer& to);

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
