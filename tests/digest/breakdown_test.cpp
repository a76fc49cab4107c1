#include "digest/breakdown.hpp"

#include <map>
#include <random>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/digest/random_table.hpp"

namespace scattergate::digest {
namespace {

using routing::routing_class;

struct seen {
  row of;
  sighting what;
  routing_class routing;
  caller who;
};

seen random_seen(std::mt19937_64& random) {
  seen made;
  made.of.database = "db" + std::to_string(random() % 3);
  made.of.collection = "c" + std::to_string(random() % 5);
  made.what = random_sighting(random);
  if (made.what.last) {  // within three days, so that hours meet again
    made.what.last = wall_time{std::chrono::minutes{random() % (3 * 24 * 60)}};
    made.what.first = made.what.last;
  }
  made.routing = static_cast<routing_class>(random() % routing::routing_class_count);
  made.who = {"app" + std::to_string(random() % 4), {}, {}, {}, {}, 1};
  made.who.user = random() % 2 == 0 ? "" : "u";
  made.who.remote = "10.0.0." + std::to_string(random() % 9);
  return made;
}

void count(breakdown& in, const seen& one) {
  in.count_in(one.of, one.what, one.routing, one.who);
}

auto content_of(const parts_by_name& of) {
  std::map<std::string, part_sums> named;
  for (const auto& [name, sums] : of.ranked()) named.emplace(name, *sums);
  return std::pair{named, of.others()};
}

auto content_of(const breakdown& of) {
  return std::tuple{of.by_hour.all(),      of.by_hour.others(),    content_of(of.by_collection),
                    content_of(of.by_app), content_of(of.by_user), content_of(of.by_host)};
}

part_sums all_of(const parts_by_name& of) {
  part_sums all = of.others();
  for (const auto& [name, sums] : of.ranked()) all.add(*sums);
  return all;
}

part_sums all_of(const parts_by_hour& of) {
  part_sums all = of.others();
  for (const auto& [when, sums] : of.all()) all.add(sums);
  return all;
}

TEST(breakdown, adding_two_is_the_same_as_having_seen_both) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random{seed};
    breakdown one, other, both;
    for (int i = 0; i < 200; ++i) {
      const seen what = random_seen(random);
      count(random() % 2 == 0 ? one : other, what);
      count(both, what);
    }
    one.add(other);
    EXPECT_TRUE(content_of(one) == content_of(both)) << seed;
  }
}

TEST(breakdown, each_adds_up_to_all_commands) {
  std::mt19937_64 random{7};
  breakdown parts;
  part_sums all;
  for (int i = 0; i < 1'000; ++i) {
    const seen what = random_seen(random);
    count(parts, what);
    all.count_in(what.what, what.routing);
  }
  EXPECT_EQ(all_of(parts.by_hour), all);
  for (const auto* const by :
       {&parts.by_collection, &parts.by_app, &parts.by_user, &parts.by_host}) {
    EXPECT_EQ(all_of(*by), all);
  }
}

TEST(breakdown, beyond_the_bound_names_stay_exact_and_the_rest_is_one_sum) {
  breakdown parts;
  sighting once;
  once.fanout = 3;
  const std::size_t names = parts_by_name::most + 100;
  row of;
  for (std::size_t i = 0; i < 2 * names; ++i) {
    parts.count_in(of, once, routing_class::scatter_gather,
                   {std::to_string(i % names), {}, {}, {}, {}, 1});
  }
  EXPECT_EQ(parts.by_app.ranked().size(), parts_by_name::most);
  for (const auto& [name, sums] : parts.by_app.ranked()) EXPECT_EQ(sums->commands, 2U);
  EXPECT_EQ(parts.by_app.others().commands, 200U);
  EXPECT_EQ(all_of(parts.by_app).shards.wasted, 4 * names);
  EXPECT_EQ(parts.by_hour.others().commands, 2 * names) << "they have no time";
}

TEST(breakdown, of_a_table_adds_up_to_its_totals) {
  for (const std::size_t max_rows : {100UL, 10UL}) {  // with and without evicted rows
    const table rows = random_table(3, max_rows);
    breakdown parts;
    parts.add(rows);
    for (const part_sums& sums : {all_of(parts.by_hour), all_of(parts.by_collection)}) {
      EXPECT_EQ(sums.commands, rows.all().commands);
      EXPECT_EQ(sums.errors, rows.all().errors);
      EXPECT_EQ(sums.by_routing, rows.all().by_routing);
      EXPECT_EQ(sums.shards.wasted, rows.all().shards.wasted);
    }
    EXPECT_EQ(all_of(parts.by_app).commands, rows.all().commands);
  }
}

TEST(breakdown, says_of_each_caller_of_a_row_what_is_known_of_it_alone) {
  row of;
  sighting seen;
  seen.count = 10;
  seen.fanout = 4;
  of.count_in(seen, routing_class::scatter_gather);
  of.who.add({"a", {}, {}, {}, {}, 6});
  of.who.add({"b", {}, {}, {}, {}, 3});
  breakdown parts;
  parts.add(of);
  EXPECT_EQ(parts.by_app.of("a").commands, 6U);
  EXPECT_EQ(parts.by_app.of("a").shards.wasted, 18U);
  EXPECT_EQ(
      parts.by_app.of("b").by_routing[static_cast<std::size_t>(routing_class::scatter_gather)],
      3U);
  EXPECT_EQ(parts.by_app.others().commands, 1U);

  seen.fanout = 1;  // now it isn't known who asked how many
  of.count_in(seen, routing_class::single_shard);
  breakdown mixed;
  mixed.add(of);
  EXPECT_EQ(mixed.by_app.of("a").commands, 6U);
  EXPECT_EQ(mixed.by_app.of("a").shards.commands, 0U);
  EXPECT_EQ(mixed.by_app.of("a").by_routing, totals{}.by_routing);
  EXPECT_EQ(all_of(mixed.by_collection).shards.wasted, 30U);
}

TEST(fanout_counts, are_exact_up_to_64_shards_and_an_eighth_of_a_doubling_beyond) {
  fanout_counts counted;
  for (const std::uint32_t shards : {6U, 1U, 63U, 6U, 64U, 71U, 72U, 1'000U}) {
    counted.add(shards, 1);
  }
  const std::vector<fanout_counts::counted> expected = {{1, 1},  {6, 2},  {63, 1},
                                                        {64, 2}, {72, 1}, {960, 1}};
  EXPECT_EQ(counted.all(), expected);
}

TEST(execution, of_two_is_the_same_as_having_seen_both) {
  execution one, other, both;
  for (const std::uint64_t docs : {3UL, 40UL, 5UL}) {
    (docs < 10 ? one : other).docs_examined.add(docs);
    both.docs_examined.add(docs);
    (docs < 10 ? one : other).plans.add(docs < 10 ? "IXSCAN { a: 1 }" : "COLLSCAN", 1);
    both.plans.add(docs < 10 ? "IXSCAN { a: 1 }" : "COLLSCAN", 1);
  }
  one.add(other);
  EXPECT_TRUE(one == both);
  EXPECT_EQ(one.docs_examined, (amounts{3, 48, 40}));
  EXPECT_EQ(one.plans.ranked().front(), (text_counts::counted{"IXSCAN { a: 1 }", 2}));
  for (int i = 0; i < 20; ++i) one.plans.add("plan " + std::to_string(i), 1);
  EXPECT_EQ(one.plans.all().size(), text_counts::most);
  EXPECT_EQ(one.plans.others(), 14U);
}

}  // namespace
}  // namespace scattergate::digest
