#include "digest/ranking.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "digest/table.hpp"

namespace scattergate::digest {
namespace {

using namespace std::chrono_literals;

/// A row named after what it has most of; 3 commands on one shard otherwise.
void add(table& to, std::uint64_t hash, sighting seen) {
  to.count(to.row_of({"shop", "orders", "find", hash}).of, seen,
           routing::routing_class::single_shard);
}

enum : std::uint64_t { frequent = 1, slow, failing, wide, late, nothing_known };

table one_of_each() {
  table shapes{10};
  sighting plain{3, 0, 1, 1ms, {}, wall_time{1s}, wall_time{1s}};
  for (const std::uint64_t hash : {frequent, slow, failing, wide, late}) {
    sighting seen = plain;
    if (hash == frequent) seen.count = 100;
    if (hash == slow) seen.duration = 1h;
    if (hash == failing) seen.errors = 2;
    if (hash == wide) seen.fanout = 6;
    if (hash == late) seen.last = wall_time{2s};
    add(shapes, hash, seen);
  }
  add(shapes, nothing_known, {});
  return shapes;
}

TEST(ranking, puts_the_greatest_first_and_what_is_not_known_last) {
  const table shapes = one_of_each();
  const auto first = [&](ranking by) { return shapes.ranked(by).front()->shape_hash; };
  EXPECT_EQ(first(ranking::cost), wide);
  EXPECT_EQ(first(ranking::time), slow);
  EXPECT_EQ(first(ranking::count), frequent);
  EXPECT_EQ(first(ranking::errors), failing);
  EXPECT_EQ(first(ranking::fanout), wide);
  EXPECT_EQ(first(ranking::last_seen), late);
  for (const ranking by : {ranking::time, ranking::fanout, ranking::last_seen}) {
    EXPECT_EQ(shapes.ranked(by).back()->shape_hash, nothing_known) << label(by);
  }
}

TEST(ranking, orders_equal_ones_by_cost) {
  const table shapes = one_of_each();
  EXPECT_EQ(shapes.ranked(ranking::errors)[1]->shape_hash, wide);
  EXPECT_EQ(shapes.ranked(ranking::errors)[2]->shape_hash, slow);
}

TEST(ranking, has_the_names_of_the_flag) {
  std::string names;
  for (int i = 0; i < 6; ++i) {
    const auto by = static_cast<ranking>(i);
    names += (i == 0 ? "" : "|") + std::string{label(by)};
    EXPECT_EQ(ranking_named(label(by)), by);
  }
  EXPECT_EQ(names, ranking_names);
  EXPECT_FALSE(ranking_named("price"));
}

}  // namespace
}  // namespace scattergate::digest
