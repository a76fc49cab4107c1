#include "fleet/flush_plan.hpp"

#include <gtest/gtest.h>

#include "digest/stored.hpp"
#include "fleet/bson_parts.hpp"
#include "tests/digest/random_table.hpp"
#include "tests/fleet/simulated_collection.hpp"
#include "tests/support/problem_in.hpp"

namespace scattergate::fleet {
namespace {

frozen_delta delta_of(const digest::table& counts) {
  return {1, "id", 4, {}, {}, digest::stored_text(counts), counts.all().commands};
}

digest::table with_rows(std::size_t rows, std::size_t max_rows = 10'000) {
  digest::table made{max_rows};
  for (std::size_t i = 0; i < rows; ++i) {
    digest::row one;
    one.database = "d";
    one.command = "find";
    one.shape_hash = i;
    one.count = i + 1;
    made.add(one);
  }
  return made;
}

TEST(flush_plan, writes_every_command_of_the_delta) {
  for (unsigned seed = 1; seed < 10; ++seed) {
    const digest::table counts = digest::random_table(seed);
    const auto plan = flush_plan::of(delta_of(counts));
    ASSERT_TRUE(plan);
    tests::simulated_collection there;
    for (std::size_t i = 0; i < plan->size(statistics_kind::shapes); ++i) {
      EXPECT_EQ(there.apply(plan->statement(statistics_kind::shapes, i, {"u", 1, 0, true},
                                            when_missing::create)),
                1);
    }
    std::uint64_t commands = 0;
    for (const auto& each : there.documents()) commands += number_in(each, "count");
    EXPECT_EQ(commands, counts.all().commands);
  }
}

TEST(flush_plan, counts_evicted_rows_too) {
  const digest::table counts = with_rows(100, 50);
  ASSERT_GT(counts.evicted_rows(), 0U);
  const auto plan = flush_plan::of(delta_of(counts));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->size(statistics_kind::shapes), counts.size() + 1);
}

TEST(flush_plan, has_the_same_order_each_time) {
  const auto delta = delta_of(digest::random_table(4));
  const auto one = flush_plan::of(delta);
  const auto other = flush_plan::of(delta);
  ASSERT_TRUE(one && other);
  for (const statistics_kind kind : statistics) {
    ASSERT_EQ(one->size(kind), other->size(kind));
    for (std::size_t i = 0; i < one->size(kind); ++i) {
      const flush_place at{"u", 1, 0, false};
      EXPECT_EQ(one->statement(kind, i, at, when_missing::create),
                other->statement(kind, i, at, when_missing::create));
    }
  }
}

TEST(flush_plan, divides_into_batches_of_500) {
  const auto plan = flush_plan::of(delta_of(with_rows(1'200)));
  ASSERT_TRUE(plan);
  const flush_place at{"u", 1, 0, false};
  EXPECT_EQ(plan->batch(statistics_kind::shapes, 0, at).size(), 500U);
  EXPECT_EQ(plan->batch(statistics_kind::shapes, 500, at).size(), 500U);
  EXPECT_EQ(plan->batch(statistics_kind::shapes, 1'000, at).size(), 200U);
  EXPECT_TRUE(plan->batch(statistics_kind::callers, 0, at).empty());
}

TEST(flush_plan, keeps_batches_of_large_rows_below_the_maximum_message) {
  digest::table counts{1'000};
  for (std::uint64_t i = 0; i < 200; ++i) {
    digest::row one;
    one.database = "d";
    one.command = "find";
    one.shape_hash = i;
    one.count = 1;
    one.what.routing = routing::routing_class::unknown;
    one.what.suggestion = std::string(100'000, 'x');
    counts.add(one);
  }
  const auto plan = flush_plan::of(delta_of(counts));
  ASSERT_TRUE(plan);
  std::size_t done = 0;
  while (done < plan->size(statistics_kind::shapes)) {
    const auto batch = plan->batch(statistics_kind::shapes, done, {"u", 1, 0, false});
    std::size_t bytes = 0;
    for (const auto& each : batch) bytes += each.size();
    ASSERT_FALSE(batch.empty());
    EXPECT_LE(bytes, flush_plan::most_bytes);
    done += batch.size();
  }
  EXPECT_EQ(done, 200U);
}

TEST(flush_plan, of_a_delta_that_is_damaged_is_a_problem) {
  auto delta = delta_of(with_rows(3));
  delta.rows[delta.rows.size() / 2] ^= 1;
  EXPECT_FALSE(flush_plan::of(delta));
}

}  // namespace
}  // namespace scattergate::fleet
