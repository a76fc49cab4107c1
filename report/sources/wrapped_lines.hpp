#pragma once

#include <memory>
#include <string_view>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Takes log lines out of what container runtimes and log collectors put around them,
/// recognised by each line's content:
/// - text before the line: CRI (`2026-11-22T04:51:21.2Z stdout F {...}`), `kubectl logs` with
///   --prefix or --timestamps, Docker Compose, syslog (RFC 3164 and 5424), others alike;
/// - JSON around it: Docker's json-file (`log`), journald (`MESSAGE`, a text or its bytes),
///   collectors' (`message`).
/// Lines that CRI, Docker or journald have split are joined again, those of several streams
/// side by side. Memory is bounded: at most 64 lines, of input_lines::max_line_bytes together,
/// wait for their ends.
class wrapped_lines {
 public:
  wrapped_lines();
  ~wrapped_lines();

  /// The line in a line, which is the line itself where nothing is around it. Empty: it isn't
  /// whole yet, or is left out and counted by `to`. Valid until the next call, as long as
  /// `line` is; input_lines::padding bytes behind it may be read, as behind `line`.
  [[nodiscard]] std::string_view take(std::string_view line, observer& to);

  /// Nothing more comes: what still waits for its end is left out.
  void finish(observer& to);

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace scattergate::report
