#include "report/sources/observer_thread.hpp"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "tests/report/sources/kept.hpp"

namespace scattergate::report {
namespace {

observation numbered(std::uint64_t number, std::size_t bytes = 8) {
  observation seen;
  seen.count = number;
  seen.command.resize(bytes);
  return seen;
}

/// Keeps less: only what distinguishes observations, and their number.
class number_log final : public observer {
 public:
  void on_command(const observation& seen) override {
    if (seen.count == fails_at) throw std::runtime_error{"no more"};
    counts.push_back(seen.count);
    bytes += seen.command.size();
    teller = std::this_thread::get_id();
  }
  void on_row(const digest::row&) override { ++rows; }
  void on_digest(const digest::table&) override {}
  void on_skipped(skip_reason) override {}

  std::uint64_t fails_at = 0;
  std::vector<std::uint64_t> counts;
  std::size_t bytes = 0;
  int rows = 0;
  std::thread::id teller;
};

TEST(observer_thread, reports_everything_in_its_order_from_another_thread) {
  number_log heard;
  observer_thread second{heard};
  constexpr std::uint64_t many = 10'000;
  for (std::uint64_t i = 1; i <= many; ++i) second.on_command(numbered(i));
  second.finish();
  ASSERT_EQ(heard.counts.size(), many);
  for (std::uint64_t i = 0; i < many; ++i) ASSERT_EQ(heard.counts[i], i + 1);
  EXPECT_NE(heard.teller, std::this_thread::get_id());
}

TEST(observer_thread, takes_commands_of_any_size) {
  number_log heard;
  observer_thread second{heard};
  std::size_t bytes = 0;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    const std::size_t size = i % 4 == 0 ? 3'000'000 : i;
    second.on_command(numbered(i, size));
    bytes += size;
  }
  second.finish();
  EXPECT_EQ(heard.counts.size(), 40U);
  EXPECT_EQ(heard.bytes, bytes);
}

TEST(observer_thread, counts_what_was_skipped_each_time) {
  kept heard;
  observer_thread second{heard};
  for (int i = 0; i < 3; ++i) second.on_skipped(skip_reason::lost);
  second.on_skipped(skip_reason::tls);
  second.finish();
  EXPECT_EQ(heard.skipped,
            (std::map<skip_reason, int>{{skip_reason::lost, 3}, {skip_reason::tls, 1}}));
}

TEST(observer_thread, goes_on_after_a_finish) {
  number_log heard;
  observer_thread second{heard};
  second.finish();
  second.on_command(numbered(1));
  second.on_row({});
  EXPECT_EQ(heard.counts.size(), 1U);
  EXPECT_EQ(heard.rows, 1);
  second.on_command(numbered(2));
  second.finish();
  EXPECT_EQ(heard.counts.size(), 2U);
}

TEST(observer_thread, hands_on_what_the_other_throws) {
  number_log heard;
  heard.fails_at = 3;
  observer_thread second{heard};
  for (std::uint64_t i = 1; i <= 5'000; ++i) second.on_command(numbered(i));
  EXPECT_THROW(second.finish(), std::runtime_error);
  EXPECT_EQ(heard.counts.size(), 2U);
}

TEST(observer_thread, ends_without_a_finish_too) {
  number_log heard;
  {
    observer_thread second{heard};
    second.on_command(numbered(1));
  }
  EXPECT_LE(heard.counts.size(), 1U);
}

}  // namespace
}  // namespace scattergate::report
