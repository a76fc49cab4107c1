#pragma once

#include <memory>
#include <string_view>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Extracts log lines from the wrapping of container runtimes and log collectors, detected by
/// each line's content:
/// - text before the line: CRI (`2026-11-22T04:51:21.2Z stdout F {...}`), `kubectl logs` with
///   --prefix or --timestamps, Docker Compose, syslog (RFC 3164 and 5424), and similar;
/// - JSON around it: Docker's json-file (`log`), journald (`MESSAGE`, a text or its bytes),
///   collectors' (`message`).
/// Joins lines that CRI, Docker or journald have split, also of interleaved streams. Memory is
/// bounded: at most 64 incomplete lines, of input_lines::max_line_bytes together.
class wrapped_lines {
 public:
  wrapped_lines();
  ~wrapped_lines();

  /// The line inside a line, or the line itself if it isn't wrapped. Empty: it isn't complete
  /// yet, or was skipped and `to` counted it. Valid until the next call and as long as `line`;
  /// input_lines::padding bytes after it are readable, if they are after `line`.
  [[nodiscard]] std::string_view take(std::string_view line, observer& to);

  /// Ends the input: incomplete lines are skipped.
  void finish(observer& to);

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
