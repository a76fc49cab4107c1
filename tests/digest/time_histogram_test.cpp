#include "digest/time_histogram.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(time_histogram, classes_follow_each_other_without_gaps) {
  for (std::size_t i = 1; i < time_histogram::bucket_count; ++i) {
    const nanoseconds begins = time_histogram::lower_bound(i);
    EXPECT_EQ(time_histogram::bucket_of(begins), i);
    EXPECT_EQ(time_histogram::bucket_of(begins - 1ns), i - 1);
  }
  EXPECT_EQ(time_histogram::bucket_of(0ns), 0U);
  EXPECT_EQ(time_histogram::bucket_of(-1ns), 0U);
  EXPECT_EQ(time_histogram::bucket_of(nanoseconds::max()), time_histogram::bucket_count - 1);
}

TEST(time_histogram, reports_quantiles_within_an_eighth) {
  std::mt19937_64 random{7};
  std::lognormal_distribution<double> draw{15, 2};
  time_histogram times;
  std::vector<nanoseconds> all;
  for (int i = 0; i < 10'000; ++i) {
    all.emplace_back(2'000 + static_cast<std::int64_t>(draw(random)));
    times.add(all.back());
  }
  std::sort(all.begin(), all.end());
  for (const double share : {0.01, 0.5, 0.95, 0.99}) {
    const auto exact =
        static_cast<double>(all[static_cast<std::size_t>(share * 10'000)].count());
    EXPECT_NEAR(static_cast<double>(times.quantile(share).count()), exact, exact / 8) << share;
  }
}

TEST(time_histogram, adding_two_is_having_seen_both) {
  time_histogram one;
  time_histogram other;
  time_histogram both;
  for (const auto each : {5us, 7us, 90us}) {
    one.add(each);
    both.add(each);
  }
  other.add(3ms, 4);
  both.add(3ms, 4);
  one.add(other);
  EXPECT_EQ(one.bucket_counts(), both.bucket_counts());
  EXPECT_EQ(one.count(), 7U);
}

TEST(time_histogram, has_no_quantile_of_nothing) {
  EXPECT_EQ(time_histogram{}.quantile(0.5), 0ns);
}

}  // namespace
}  // namespace scattergate::digest
