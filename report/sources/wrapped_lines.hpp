#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Joins log lines that a container runtime has split into parts, for several interleaved
/// streams, in bounded memory.
class split_lines {
 public:
  /// The maximum number of streams with an incomplete line. Beyond it, the oldest incomplete
  /// line is skipped.
  static constexpr std::size_t most_streams = 64;

  /// Takes the next part of a line of `stream`. After the last part, returns the whole line,
  /// valid until the next call. If the line has only one part, returns `part` itself. After a
  /// joined line, input_lines::padding bytes are readable. Returns std::nullopt if more parts
  /// follow, or if the line was skipped (`to` then counts it).
  [[nodiscard]] std::optional<std::string_view> take(std::string_view stream,
                                                     std::string_view part, bool is_last,
                                                     observer& to);

  /// Ends the input: `to` counts the incomplete lines as skipped.
  void finish(observer& to);

 private:
  struct waiting {
    std::string stream;
    std::string text;
    bool is_too_long = false;
  };
  void append(waiting& to, std::string_view part);

  std::vector<waiting> waiting_;  ///< oldest first
  std::size_t bytes_ = 0;         ///< total of all lines
  std::string whole_;
};

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
