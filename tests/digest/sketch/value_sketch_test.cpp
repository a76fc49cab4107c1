#include "digest/sketch/value_sketch.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

constexpr std::int64_t noon = 1'790'000'040;  // the beginning of a minute

std::uint64_t hash(std::uint64_t value) {
  return wire::seeded_hash(value, 1, {0x1234567890abcdefU, 0xfedcba0987654321U});
}

TEST(value_sketch, tells_a_value_that_is_hot) {
  value_sketch of{true};
  for (std::uint64_t i = 0; i < 10'000; ++i) of.add(hash(i % 4 == 0 ? 0 : i), noon);
  EXPECT_EQ(of.requests(), 10'000U);
  EXPECT_NEAR(of.cardinality().values, 7'501, 7'501 * 4 * of.cardinality().error);
  const auto top = of.top_shares();
  ASSERT_FALSE(top.empty());
  EXPECT_EQ(top[0].hash, hash(0));
  EXPECT_LE(top[0].share, 0.25);
  EXPECT_GE(top[0].share + top[0].error, 0.25);
  EXPECT_LE(top[0].error, 1.0 / 32);
}

TEST(value_sketch, tells_a_key_that_is_even_over_a_day_and_hot_in_each_minute) {
  value_sketch hot{true};
  value_sketch even{true};
  for (std::uint64_t minute = 0; minute < 1'440; ++minute) {
    for (std::uint64_t i = 0; i < 200; ++i) {
      const auto second = noon + static_cast<std::int64_t>(60 * minute + i % 60);
      hot.add(hash(minute), second);
      even.add(hash(i * 7 + minute), second);
    }
  }
  EXPECT_LT(hot.top_shares()[0].share, 0.02);
  EXPECT_DOUBLE_EQ(hot.per_minute_max_share()->share, 1);
  EXPECT_EQ(hot.per_minute_max_share()->minutes, 1'440U);
  EXPECT_LT(even.per_minute_max_share()->share, 0.03);
  EXPECT_LT(even.per_minute_max_share()->worst, 0.03);
}

TEST(value_sketch, a_minute_lasts_until_there_is_something_to_say) {
  value_sketch of{true};
  for (std::uint64_t i = 0; i < 1'000; ++i)
    of.add(hash(i), noon + static_cast<std::int64_t>(20 * i));
  const auto found = of.per_minute_max_share();  // three a minute, each another value
  ASSERT_TRUE(found);
  EXPECT_LE(found->worst, 0.02);
  EXPECT_GE(found->requests, 900U);
  value_sketch few{true};
  for (std::uint64_t i = 0; i < 99; ++i) few.add(hash(i), noon);
  EXPECT_FALSE(few.per_minute_max_share());
  value_sketch without_times{true};
  for (std::uint64_t i = 0; i < 1'000; ++i) without_times.add(hash(i), 0);
  EXPECT_FALSE(without_times.per_minute_max_share());
  EXPECT_EQ(without_times.requests(), 1'000U);
}

TEST(value_sketch, of_parts_tells_what_the_whole_does) {
  std::mt19937_64 random{9};
  value_sketch whole{true};
  value_sketch one{true};
  value_sketch other{true};
  for (std::int64_t i = 0; i < 50'000; ++i) {
    const std::uint64_t value = hash(random() % 3 == 0 ? 1 : random() % 9'000);
    whole.add(value, noon + i / 50);
    (i % 2 == 0 ? one : other).add(value, noon + i / 50);
  }
  value_sketch sum{true};
  sum.add(one);
  sum.add(other);
  EXPECT_EQ(sum.requests(), whole.requests());
  EXPECT_EQ(sum.settled().distinct, whole.settled().distinct);
  EXPECT_EQ(sum.top_shares()[0].hash, whole.top_shares()[0].hash);
  EXPECT_NEAR(sum.top_shares()[0].share, 1.0 / 3, 0.05);
  EXPECT_NEAR(sum.per_minute_max_share()->share, whole.per_minute_max_share()->share, 0.05);
  value_sketch reversed{true};
  reversed.add(other);
  reversed.add(one);
  EXPECT_EQ(reversed.settled().minutes, sum.settled().minutes);
  EXPECT_EQ(reversed.top_shares()[0].share, sum.top_shares()[0].share);
}

TEST(value_sketch, times_that_go_back_lose_nothing) {
  value_sketch of{true};
  for (int i = 0; i < 1'000; ++i) of.add(hash(1), noon - 60 * i);
  for (int i = 0; i < 1'000; ++i) of.add(hash(1), 0);
  EXPECT_EQ(of.requests(), 2'000U);
  EXPECT_DOUBLE_EQ(of.top_shares()[0].share, 1);
  EXPECT_DOUBLE_EQ(of.per_minute_max_share()->share, 1);
}

}  // namespace
}  // namespace scattergate::digest
