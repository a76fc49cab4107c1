#include "digest/table.hpp"

#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "digest/json.hpp"

namespace scattergate::digest {
namespace {

using namespace std::chrono_literals;
using routing::routing_class;

/// One command as a source reports it.
struct event {
  std::string collection;
  std::uint64_t hash = 0;
  routing_class routing{};
  sighting seen;
  caller who;
};

std::vector<event> random_events(std::uint64_t seed, std::size_t how_many, std::size_t shapes) {
  std::mt19937_64 random{seed};
  std::vector<event> events(how_many);
  for (event& one : events) {
    one.hash = random() % shapes;
    one.collection = "c" + std::to_string(one.hash % 3);
    one.routing =
        one.hash % 2 == 0 ? routing_class::scatter_gather : routing_class::single_shard;
    if (one.hash % 5 != 0) one.seen.fanout = static_cast<std::uint32_t>(1 + random() % 6);
    one.seen.duration = std::chrono::microseconds{random() % 10'000};
    one.seen.errors = random() % 10 == 0 ? 1 : 0;
    one.seen.first = one.seen.last = wall_time{std::chrono::seconds{random() % 1'000}};
    one.who = {"app" + std::to_string(random() % 4), {}, {}, {}, {}, 1};
  }
  return events;
}

void see(table& in, const event& one) {
  const auto [row, is_new] = in.row_of({"db", one.collection, "find", one.hash});
  if (is_new) row.what.routing = one.routing;
  in.count(row, one.seen, one.routing);
  row.who.add(one.who);
}

/// The rows as text, without the order of callers.
std::map<std::string, std::string> said_of(const table& of) {
  std::map<std::string, std::string> said;
  for (const row* one : of.ranked()) {
    row copy = *one;
    std::map<std::string, std::uint64_t> who;
    for (const caller& each : copy.who.all()) who[each.app_name] += each.count;
    copy.who = {};
    std::string text;
    text::json_writer json{text};
    append_json(json, copy);
    for (const auto& [name, count] : who) text += name + "=" + std::to_string(count) + " ";
    said[one->collection + std::to_string(one->shape_hash)] = text;
  }
  return said;
}

TEST(digest_table, adding_two_below_the_bound_is_having_seen_both) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto events = random_events(seed, 400, 20);
    table one{100};
    table other{100};
    table both{100};
    for (std::size_t i = 0; i < events.size(); ++i) {
      see(i % 3 == 0 ? one : other, events[i]);
      see(both, events[i]);
    }
    one.add(other);
    EXPECT_EQ(said_of(one), said_of(both)) << seed;
    EXPECT_EQ(one.all().commands, both.all().commands);
    EXPECT_EQ(one.all().shards.wasted, both.all().shards.wasted);
    EXPECT_EQ(one.all().from, both.all().from);
    EXPECT_EQ(one.all().to, both.all().to);
  }
}

/// Fields that can't be subtracted, so that two tables that should be equal may differ in them.
row without_what_stays(row of) {
  of.longest = of.resolution = {};
  of.shards.most = 0;
  of.first_seen.reset();
  of.last_seen.reset();
  return of;
}

TEST(digest_table, what_came_since_a_mark_is_what_was_seen_after_it) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto events = random_events(seed, 400, 20);
    table all{100};
    table later{100};
    for (std::size_t i = 0; i < 200; ++i) see(all, events[i]);
    table mark{100};
    mark.add(all);
    for (std::size_t i = 200; i < events.size(); ++i) {
      see(all, events[i]);
      see(later, events[i]);
    }
    const table since = all.since(mark);
    EXPECT_EQ(since.size(), later.size());
    EXPECT_EQ(since.all().commands, later.all().commands);
    EXPECT_EQ(since.all().by_routing, later.all().by_routing);
    EXPECT_EQ(since.all().shards.wasted, later.all().shards.wasted);
    for (const row* one : later.ranked()) {
      const row* const same = since.find(one->key());
      ASSERT_NE(same, nullptr);
      row found = without_what_stays(*same);
      row expected = without_what_stays(*one);
      std::map<std::string, std::uint64_t> who;
      for (const caller& each : expected.who.all()) who[each.app_name] += each.count;
      for (const caller& each : found.who.all()) who[each.app_name] -= each.count;
      for (const auto& [name, count] : who) EXPECT_EQ(count, 0U) << name;
      found.who = expected.who = {};
      found.what = expected.what;
      EXPECT_EQ(found, expected);
    }
    // And back again.
    mark.add(since);
    EXPECT_EQ(mark.all().commands, all.all().commands);
    for (const row* one : all.ranked()) {
      EXPECT_EQ(mark.find(one->key())->count, one->count);
      EXPECT_EQ(mark.find(one->key())->times, one->times);
    }
  }
}

TEST(digest_table, a_row_that_made_room_since_a_mark_began_anew) {
  table all{8};
  const auto add = [&](std::uint64_t hash, std::uint64_t count) {
    event one{"c", hash, routing_class::single_shard, {}, {}};
    one.seen.count = count;
    see(all, one);
  };
  for (std::uint64_t hash = 1; hash <= 8; ++hash) add(hash, 10 * hash);
  table mark{8};
  mark.add(all);
  add(9, 100);  // the first makes room,
  add(1, 50);   // comes again, and the second makes room for it
  const table since = all.since(mark);
  EXPECT_EQ(since.find({"db", "c", "find", 1})->count, 50U);
  EXPECT_EQ(since.find({"db", "c", "find", 9})->count, 100U);
  EXPECT_EQ(since.size(), 2U);
  EXPECT_EQ(since.all().commands, 150U);
}

TEST(digest_table, totals_stay_exact_beyond_the_bound_and_rows_report_their_error) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto events = random_events(seed, 3'000, 300);
    std::uint64_t evicted_commands = 0;
    table bounded{40, [&](const row& one) { evicted_commands += one.count; }};
    std::map<std::uint64_t, std::uint64_t> truth;
    for (const event& one : events) {
      see(bounded, one);
      ++truth[one.hash];
    }
    EXPECT_LE(bounded.size(), 40U);
    EXPECT_EQ(bounded.all().commands, events.size());
    std::uint64_t kept = 0;
    for (const row* one : bounded.ranked()) {
      kept += one->count;
      EXPECT_LE(one->count, truth[one->shape_hash]);
      EXPECT_GE(one->count + one->error_bound, truth[one->shape_hash]);
    }
    EXPECT_EQ(kept + evicted_commands, events.size());
    EXPECT_GT(bounded.evicted_rows(), 0U);
  }
}

TEST(digest_table, keeps_what_comes_often) {
  table bounded{16};
  const auto rare = random_events(1, 5'000, 5'000);
  event often;
  often.collection = "often";
  for (std::size_t i = 0; i < rare.size(); ++i) {
    see(bounded, rare[i]);
    if (i % 10 == 0) see(bounded, often);
  }
  EXPECT_EQ(bounded.row_of({"db", "often", "find", 0}).of.count, 500U);
}

TEST(digest_table, ranks_by_waste_then_by_what_scatters_then_by_time) {
  table shapes{10};
  const auto add = [&](std::uint64_t hash, routing_class routing,
                       std::optional<std::uint32_t> fanout, std::chrono::nanoseconds time) {
    event one{"c", hash, routing, {}, {}};
    one.seen.fanout = fanout;
    one.seen.duration = time;
    see(shapes, one);
  };
  add(1, routing_class::single_shard, 1, 9s);
  add(2, routing_class::scatter_gather, std::nullopt, 1ms);
  add(3, routing_class::multi_shard, 3, 1ms);
  add(4, routing_class::scatter_gather, 6, 1us);
  std::vector<std::uint64_t> order;
  for (const row* one : shapes.ranked()) order.push_back(one->shape_hash);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{4, 3, 2, 1}));
}

TEST(digest_table, times_add_up_to_what_the_clock_can_have_at_most) {
  table shapes{10};
  event one;
  one.seen.duration = std::chrono::hours{24 * 365 * 200};
  for (int i = 0; i < 3; ++i) see(shapes, one);
  EXPECT_EQ(shapes.ranked().front()->total, std::chrono::nanoseconds::max());
}

TEST(digest_table, the_worse_description_stands) {
  table one{10};
  table other{10};
  row good;
  good.database = "db";
  good.what.routing = routing_class::single_shard;
  good.what.shape_json = "{}";
  row bad = good;
  bad.what.routing = routing_class::scatter_gather;
  one.add(good);
  other.add(bad);
  one.add(other);
  EXPECT_EQ(one.ranked().front()->what.routing, routing_class::scatter_gather);
}

TEST(digest_table, knows_what_it_has_counted_next_to_its_rows) {
  table shapes{2};
  for (const std::uint64_t hash : {1, 2, 2}) see(shapes, {"c", hash, {}, {}, {}});
  EXPECT_EQ(shapes.rowless().commands, 0U);
  counts several;
  several.count = 5;
  several.by_routing[0] = 5;
  several.shards.add(3, 5);
  shapes.count_rowless(several);
  see(shapes, {"c", 3, {}, {}, {}});  // the first has to make room
  ASSERT_EQ(shapes.evicted_rows(), 1U);
  EXPECT_EQ(shapes.rowless().commands, 6U);
  EXPECT_EQ(shapes.rowless().shards.wasted, 10U);
  table rows{10};
  for (const row* one : shapes.ranked()) rows.add(*one);
  rows.add_rowless(shapes);
  EXPECT_EQ(rows.all(), shapes.all());
  EXPECT_EQ(rows.evicted_rows(), 1U);
  EXPECT_EQ(rows.error_bound(), shapes.error_bound());
}

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
