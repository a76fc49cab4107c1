#pragma once

#include <cstdint>
#include <string_view>

namespace scattergate::telemetry {

/// The build's version and tools: labels of scattergate_build_info.
struct build_info {
  std::string_view version;   ///< scattergate's version, such as "0.1.0"
  std::string_view compiler;  ///< the compiler and its version, such as "gcc 12.2.0"
  std::string_view boost;     ///< the version of Boost, such as "1_81"
};

/// The build info of this program.
[[nodiscard]] build_info this_build() noexcept;

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
