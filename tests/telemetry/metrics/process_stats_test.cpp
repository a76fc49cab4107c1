#include "telemetry/metrics/process_stats.hpp"

#include <ctime>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace scattergate::telemetry {
namespace {

TEST(process_stats, reads_what_the_kernel_says) {
  const process_stats stats = read_process_stats();
  EXPECT_GT(stats.resident_bytes, 1U << 20U);
  EXPECT_GE(stats.virtual_bytes, stats.resident_bytes);
  EXPECT_GT(stats.max_fds, stats.open_fds);
  EXPECT_GE(stats.cpu_seconds, 0);
}

TEST(process_stats, was_started_before_now_and_not_long_ago) {
  const process_stats stats = read_process_stats();
  const auto now = static_cast<double>(std::time(nullptr));
  constexpr double day = 86'400;
  EXPECT_LE(stats.start_time_seconds, now + 2);
  EXPECT_GT(stats.start_time_seconds, now - day);
}

TEST(process_stats, counts_open_files) {
  const std::uint64_t before = read_process_stats().open_fds;
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(read_process_stats().open_fds, before + 1);
  ::close(fd);
  EXPECT_EQ(read_process_stats().open_fds, before);
}

}  // namespace
}  // namespace scattergate::telemetry
