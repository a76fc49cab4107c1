#pragma once

#include <chrono>
#include <cstdint>

namespace scattergate::sim::demo {

/// Shows the progress of the demo's traffic on standard error. On a terminal, updates one line.
/// Otherwise, prints a line after each tenth of the requests.
class progress {
 public:
  /// `total`: the planned number of requests. Starts the clock for the shown duration.
  explicit progress(std::uint64_t total);

  /// Shows that `done` requests have completed.
  void show(std::uint64_t done);
  /// Shows the final number of requests, and ends the line.
  void finish(std::uint64_t done);

 private:
  void print(std::uint64_t done, const char* end) const;

  std::uint64_t total_;
  bool is_terminal_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t next_tenth_ = 1;
};

}  // namespace scattergate::sim::demo
