#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "telemetry/counters/cells.hpp"

namespace scattergate::telemetry {
namespace {

using namespace std::chrono_literals;

const exemplar::clock::time_point start{std::chrono::hours{1}};

exemplar one_of(std::uint64_t value, std::chrono::nanoseconds after, std::uint64_t trace = 0) {
  return {{trace, trace, trace != 0},
          value,
          value,
          start + std::chrono::duration_cast<exemplar::clock::duration>(after),
          0};
}

TEST(exemplar_cell, keeps_one_a_second) {
  exemplar_cell cell;
  EXPECT_FALSE(cell.read());
  cell.offer(one_of(1, 0s));
  cell.offer(one_of(2, 999ms));
  EXPECT_EQ(cell.read()->value, 1U);
  cell.offer(one_of(3, 1s));
  EXPECT_EQ(cell.read()->value, 3U);
}

TEST(exemplar_cell, would_rather_have_a_trace) {
  exemplar_cell cell;
  cell.offer(one_of(1, 0s));
  cell.offer(one_of(2, 1ms, 7));
  EXPECT_EQ(cell.read()->value, 2U) << "at once";
  EXPECT_EQ(cell.read()->trace.low, 7U);
  cell.offer(one_of(3, 30s));
  EXPECT_EQ(cell.read()->value, 2U) << "half a minute is no age";
  cell.offer(one_of(4, 31s, 8));
  EXPECT_EQ(cell.read()->value, 4U);
  cell.offer(one_of(5, 92s));
  EXPECT_EQ(cell.read()->value, 5U) << "a trace of long ago isn't kept any more";
}

TEST(exemplar_cell, reports_the_same_time_whenever_it_is_asked) {
  exemplar_cell cell;
  const auto before = std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  cell.offer(one_of(1, 0s));
  const std::int64_t stored = cell.read()->unix_millis;
  EXPECT_GE(stored, before.count());
  std::this_thread::sleep_for(3ms);
  EXPECT_EQ(cell.read()->unix_millis, stored);
}

TEST(exemplar, of_two_workers_is_the_one_that_says_more) {
  EXPECT_TRUE(one_of(1, 0s, 7).is_better_than(one_of(2, 59s)));
  EXPECT_FALSE(one_of(2, 59s).is_better_than(one_of(1, 0s, 7)));
  EXPECT_FALSE(one_of(1, 0s, 7).is_better_than(one_of(2, 60s)))
      << "an idle worker's, of long ago";
  EXPECT_TRUE(one_of(2, 60s).is_better_than(one_of(1, 0s, 7)));
  EXPECT_TRUE(one_of(2, 1s, 8).is_better_than(one_of(1, 0s, 7)));
  EXPECT_TRUE(one_of(2, 1s).is_better_than(one_of(1, 0s)));
}

TEST(exemplar_cell, is_read_whole_while_it_is_written) {
  exemplar_cell cell;
  std::atomic<bool> is_done = false;
  std::thread reader{[&] {
    while (!is_done) {
      const auto one = cell.read();
      if (!one) continue;
      EXPECT_EQ(one->value, one->shape_hash);
      EXPECT_EQ(one->value, one->trace.low);
      EXPECT_EQ(one->at, start + std::chrono::seconds{static_cast<std::int64_t>(one->value)});
    }
  }};
  for (std::uint64_t i = 1; i < 100'000; ++i) {
    cell.offer(one_of(i, std::chrono::seconds{static_cast<std::int64_t>(i)}, i));
  }
  is_done = true;
  reader.join();
}

TEST(exemplar_places, are_for_those_that_count_now) {
  exemplar_places<2> places;
  for (std::uint32_t series = 1; series <= 3; ++series) {
    exemplar each = one_of(series, std::chrono::seconds{series});
    each.series = series;
    places.offer(each);
  }
  std::vector<std::uint32_t> kept;
  places.for_each([&](const exemplar& each) { kept.push_back(each.series); });
  EXPECT_EQ(kept, (std::vector<std::uint32_t>{3, 2}));
}

TEST(exemplar_places, are_given_up_after_a_second_and_not_before) {
  exemplar_places<2> places;
  for (std::uint32_t series = 1; series <= 5; ++series) {
    exemplar each = one_of(series, std::chrono::milliseconds{series});
    each.series = series;
    places.offer(each);
  }
  std::vector<std::uint32_t> kept;
  places.for_each([&](const exemplar& each) { kept.push_back(each.series); });
  EXPECT_EQ(kept, (std::vector<std::uint32_t>{1, 2}));
}

}  // namespace
}  // namespace scattergate::telemetry
