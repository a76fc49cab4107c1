#pragma once

#include <cstdint>

namespace scattergate::telemetry {

/// The kernel's statistics of this process, for the process_* metrics. A statistic that can't
/// be read is 0.
struct process_stats {
  double cpu_seconds = 0;  ///< CPU time used, user and system
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_fds = 0;     ///< number of open file descriptors
  std::uint64_t max_fds = 0;      ///< soft limit on the number of file descriptors
  double start_time_seconds = 0;  ///< when the process started, since the Unix epoch
};

/// Reads the current values from /proc (proc(5)) and getrlimit(2).
[[nodiscard]] process_stats read_process_stats();

}  // namespace scattergate::telemetry
