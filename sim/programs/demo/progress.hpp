#pragma once

#include <chrono>
#include <cstdint>

namespace scattergate::sim::demo {

/// How far the traffic has come, on standard error: one line that changes on a terminal, else
/// a line of its own for every tenth.
class progress {
 public:
  explicit progress(std::uint64_t total);

  void show(std::uint64_t done);
  /// The last state, and the end of the line.
  void finish(std::uint64_t done);

 private:
  void print(std::uint64_t done, const char* end) const;

  std::uint64_t total_;
  bool is_terminal_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t next_tenth_ = 1;
};

}  // namespace scattergate::sim::demo
