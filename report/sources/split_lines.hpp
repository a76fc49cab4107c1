#pragma once

#include <cstddef>
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

}  // namespace scattergate::report
