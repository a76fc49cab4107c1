#pragma once

#include <cstdint>

namespace scattergate::telemetry {

/// What the kernel says of this process, for the process_* metrics. Zero where it can't be
/// read.
struct process_stats {
  double cpu_seconds = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;      ///< the soft limit
  double start_time_seconds = 0;  ///< since the Unix epoch
};

/// Reads them now, from /proc/self (proc(5)).
[[nodiscard]] process_stats read_process_stats();

}  // namespace scattergate::telemetry
