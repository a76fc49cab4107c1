#include "report/sources/observer_thread.hpp"

#include <stdexcept>
#include <thread>
#include <vector>

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

using number_batch = std::vector<int>;

TEST(batch_thread, takes_batches_in_their_order_on_another_thread) {
  number_batch taken;
  std::thread::id taker;
  batch_thread<number_batch> second{[&](const number_batch& some) {
    taken.insert(taken.end(), some.begin(), some.end());
    taker = std::this_thread::get_id();
  }};
  constexpr int many = 10'000;
  for (int i = 0; i < many; ++i) {
    second.filling().push_back(i);
    if (i % 7 == 0) second.hand_over();
  }
  second.finish();
  ASSERT_EQ(taken.size(), many);
  for (int i = 0; i < many; ++i) ASSERT_EQ(taken[static_cast<std::size_t>(i)], i);
  EXPECT_NE(taker, std::this_thread::get_id());
}

TEST(batch_thread, holds_no_more_batches_than_it_says) {
  std::mutex first;
  std::size_t taken = 0;
  batch_thread<number_batch> second{[&](const number_batch&) {
    const std::lock_guard wait{first};
    ++taken;
  }};
  std::size_t handed = 0;
  {
    const std::lock_guard held{first};
    for (; handed < batch_thread<number_batch>::most - 1; ++handed) second.hand_over();
    EXPECT_EQ(taken, 0U);
  }
  for (; handed < 100; ++handed) {
    second.hand_over();
    const std::lock_guard look{first};
    ASSERT_LE(handed + 1 - taken, batch_thread<number_batch>::most);
  }
  second.finish();
  EXPECT_EQ(taken, 101U);  // finish() hands over what is filled
}

TEST(batch_thread, hands_on_what_is_thrown_and_goes_on_behind_that) {
  int sum = 0;
  batch_thread<number_batch> second{[&](const number_batch& some) {
    for (const int one : some) {
      if (one < 0) throw std::runtime_error{"below nothing"};
      sum += one;
    }
  }};
  for (const int one : {1, -1, 2}) {
    second.filling().push_back(one);
    second.hand_over();
  }
  EXPECT_THROW(second.finish(), std::runtime_error);
  EXPECT_EQ(sum, 1);
  second.filling().push_back(4);
  second.finish();
  EXPECT_EQ(sum, 5);
}

}  // namespace
}  // namespace scattergate::report
