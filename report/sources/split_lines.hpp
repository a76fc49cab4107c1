#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Joins lines that came in parts, those of several streams side by side, in bounded memory.
class split_lines {
 public:
  /// Streams whose line may wait for its end at once; beyond it the oldest is given up.
  static constexpr std::size_t most_streams = 64;

  /// Takes the next part of a stream's line. The whole line behind its last part, where it came
  /// in several: valid until the next call, input_lines::padding bytes behind it may be read.
  /// A single part that is the last is handed back as it is. Nothing: there is more to come, or
  /// the line is left out and counted by `to`.
  [[nodiscard]] std::optional<std::string_view> take(std::string_view stream,
                                                     std::string_view part, bool is_last,
                                                     observer& to);

  /// Nothing more comes: the lines that wait are left out.
  void finish(observer& to);

 private:
  struct waiting {
    std::string stream;
    std::string text;
    bool is_too_long = false;
  };
  void append(waiting& to, std::string_view part);

  std::vector<waiting> waiting_;  ///< the oldest first
  std::size_t bytes_ = 0;         ///< of all of them
  std::string whole_;
};

}  // namespace scattergate::report
