#pragma once

#include <chrono>
#include <cstdint>

namespace scattergate::sim::demo {

/// Shows the progress of the traffic on standard error: one changing line on a terminal,
/// otherwise a line for every tenth.
class progress {
 public:
  explicit progress(std::uint64_t total);

  void show(std::uint64_t done);
  /// Shows the final state and ends the line.
  void finish(std::uint64_t done);

 private:
  void print(std::uint64_t done, const char* end) const;

  std::uint64_t total_;
  bool is_terminal_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t next_tenth_ = 1;
};

}  // namespace scattergate::sim::demo
