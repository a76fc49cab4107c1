#pragma once

#include <cstdint>

namespace scattergate::telemetry {

/// The kernel's statistics of this process, for the process_* metrics. Unreadable ones are
/// zero.
struct process_stats {
  double cpu_seconds = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;      ///< soft limit
  double start_time_seconds = 0;  ///< since the Unix epoch
};

/// Reads the current values from /proc/self (proc(5)).
[[nodiscard]] process_stats read_process_stats();

}  // namespace scattergate::telemetry
