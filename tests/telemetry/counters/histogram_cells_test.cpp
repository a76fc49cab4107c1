#include <gtest/gtest.h>

#include "telemetry/counters/cells.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::nanoseconds;

TEST(histogram_cells, a_value_on_a_bound_belongs_below_it) {
  fanout_cells cells;
  cells.observe(std::uint64_t{1});
  cells.observe(std::uint64_t{2});
  cells.observe(std::uint64_t{4});
  cells.observe(std::uint64_t{101});
  EXPECT_EQ(cells.buckets[0].get(), 1U);
  EXPECT_EQ(cells.buckets[1].get(), 1U);
  EXPECT_EQ(cells.buckets[3].get(), 1U);
  EXPECT_EQ(cells.buckets.back().get(), 1U);
  EXPECT_EQ(cells.sum.get(), 108U);
}

TEST(histogram_cells, a_clock_that_went_backwards_counts_as_zero) {
  inspect_cells cells;
  cells.observe(nanoseconds{-5});
  EXPECT_EQ(cells.buckets[0].get(), 1U);
  EXPECT_EQ(cells.sum.get(), 0U);
}

TEST(histogram_cells, durations_fall_into_nanosecond_bounds) {
  duration_cells cells;
  cells.observe(nanoseconds{500'000});
  cells.observe(nanoseconds{500'001});
  cells.observe(std::chrono::seconds{11});
  EXPECT_EQ(cells.buckets[0].get(), 1U);
  EXPECT_EQ(cells.buckets[1].get(), 1U);
  EXPECT_EQ(cells.buckets.back().get(), 1U);
}

TEST(cell, a_gauge_goes_up_and_down) {
  cell open;
  open.add();
  open.add();
  open.sub();
  EXPECT_EQ(open.get(), 1U);
}

}  // namespace
}  // namespace scattergate::telemetry
