#include <gtest/gtest.h>

#include "telemetry/state/state_keeper.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using time_point = save_schedule::clock::time_point;

constexpr seconds save_interval{10};

/// A keeper of the state whose clock only these tests advance.
class save_schedule_test : public ::testing::Test {
 protected:
  /// Saves as scheduled; returns how long the oldest counts waited.
  save_schedule::clock::duration save(milliseconds takes, bool has_all = true) {
    taken_ = next_;
    const auto waited = schedule_.note_saved(taken_, taken_ + takes, has_all);
    next_ = std::max(schedule_.next(taken_), taken_ + takes);
    return waited;
  }

  save_schedule schedule_{save_interval};
  time_point taken_;
  time_point next_;
};

TEST_F(save_schedule_test, counts_become_durable_within_the_interval) {
  for (const int takes : {10, 500, 10, 1'800, 50, 2'000, 0, 2'400, 2'000, 2'000}) {
    EXPECT_LE(save(milliseconds{takes}), save_interval) << takes;
  }
}

TEST_F(save_schedule_test, a_save_may_take_twice_as_long_as_the_one_before) {
  for (int takes = 1; takes <= 1'024; takes *= 2) {
    EXPECT_LE(save(milliseconds{takes}), save_interval) << takes;
  }
}

TEST_F(save_schedule_test, fast_saves_are_nine_tenths_of_the_interval_apart) {
  (void)save(milliseconds{0});
  EXPECT_EQ(next_ - taken_, save_interval * 9 / 10);
}

TEST_F(save_schedule_test, slow_saves_start_no_more_often_than_every_half_interval) {
  (void)save(milliseconds{4'000});
  EXPECT_EQ(next_ - taken_, save_interval / 2);
  EXPECT_EQ(save(milliseconds{4'000}), seconds{9});
  EXPECT_EQ(next_ - taken_, save_interval / 2);
}

TEST_F(save_schedule_test, a_slow_save_is_forgotten_over_time) {
  (void)save(milliseconds{3'000});
  for (int i = 0; i < 40; ++i) (void)save(milliseconds{10});
  EXPECT_GT(next_ - taken_, save_interval * 8 / 10);
}

TEST_F(save_schedule_test, reports_how_long_counts_have_waited) {
  EXPECT_EQ(save(milliseconds{100}), milliseconds{100});
  const auto apart = next_ - taken_;
  EXPECT_EQ(save(seconds{12}), apart + seconds{12});
}

TEST_F(save_schedule_test, counts_that_a_save_lacks_wait_for_the_next) {
  (void)save(milliseconds{0});
  (void)save(milliseconds{0}, false);
  EXPECT_EQ(save(milliseconds{0}), 2 * save_interval * 9 / 10);
  EXPECT_EQ(save(milliseconds{0}), save_interval * 9 / 10);
}

TEST_F(save_schedule_test, a_failed_save_has_its_own_condition) {
  (void)save(milliseconds{0});
  schedule_.note_failed();
  next_ += save_interval * 100;
  EXPECT_EQ(save(milliseconds{5}), milliseconds{5});
}

}  // namespace
}  // namespace scattergate::telemetry
