#include "digest/sketches/collection_sketches.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digest/sketches/sketch_set.hpp"
#include "tests/digest/sketches/sketch_streams.hpp"

namespace scattergate::digest {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::string> paths_of(const collection_sketches& of) {
  std::vector<std::string> made;
  for (const auto& each : of.fields()) made.emplace_back(each.path);
  return made;
}

std::vector<std::pair<std::string, std::string>> pairs_of(const collection_sketches& of) {
  std::vector<std::pair<std::string, std::string>> made;
  for (const auto& each : of.pairs()) made.emplace_back(each.first, each.second);
  return made;
}

TEST(collection_sketches, have_the_eight_fields_that_are_pinned_most) {
  collection_sketches of{"shop", "orders"};
  // First those that hardly anybody asks for.
  for (int i = 0; i < 12; ++i) pin(of, {{"rare" + std::to_string(i), 1}});
  for (int n = 0; n < 400; ++n) {
    for (int i = 0; i < 8; ++i) pin(of, {{"f" + std::to_string(i), 1}});
  }
  auto paths = paths_of(of);
  std::ranges::sort(paths);
  EXPECT_THAT(paths, ElementsAre("f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"));
  EXPECT_EQ(of.requests(), 12U + 3'200U);
}

TEST(collection_sketches, of_fields_that_come_often_survive_a_flood_of_others) {
  collection_sketches of{"shop", "orders"};
  for (int n = 0; n < 3'000; ++n) {
    pin(of, {{"tenant", 1}, {"_id", 2}});
    pin(of, {{"noise" + std::to_string(n), 1}});
  }
  const auto paths = paths_of(of);
  EXPECT_EQ(paths[0], "_id");
  EXPECT_EQ(paths[1], "tenant");
  EXPECT_LE(paths.size(), collection_sketches::max_fields);
  EXPECT_LE(of.known_fields().size(), 16U);
}

TEST(collection_sketches, have_pairs_that_filters_pin_together) {
  collection_sketches of{"shop", "orders"};
  for (int n = 0; n < 10; ++n) {
    pin(of, {{"tenant", 1}, {"_id", static_cast<std::uint64_t>(n)}});
    pin(of, {{"alone", 1}});
  }
  EXPECT_THAT(pairs_of(of), ElementsAre(Pair("_id", "tenant")));
  EXPECT_NEAR(of.pairs().front().of.values.distinct().estimate(), 10, 1);
  EXPECT_EQ(of.pairs().front().of.pinned, 10U);
}

TEST(collection_sketches, count_a_pair_alike_in_either_order) {
  collection_sketches of{"shop", "orders"};
  pin(of, {{"b", 1}, {"a", 2}});
  pin(of, {{"a", 2}, {"b", 1}});
  const auto common = of.pairs().front().of.values.commonest().ranked();
  ASSERT_EQ(common.size(), 1U);
  EXPECT_EQ(common.front().count, 2U);
}

TEST(collection_sketches, have_the_shares_of_all_requests_since_they_began) {
  collection_sketches of{"shop", "orders"};
  for (int n = 0; n < 100; ++n) pin(of, {});
  for (int n = 0; n < 100; ++n)
    pin(of, {{"tenant", n % 2 == 0 ? 1'000U : static_cast<unsigned>(n)}});
  const auto tenant = of.fields().front();
  EXPECT_EQ(tenant.path, "tenant");
  EXPECT_EQ(tenant.of.requests, 100U);
  EXPECT_EQ(tenant.of.values.commonest().ranked().front().count, 50U);
}

TEST(collection_sketches, distinguish_skew_in_each_minute_from_skew_overall) {
  collection_sketches of{"shop", "orders"};
  for (std::int64_t minute = 0; minute < 50; ++minute) {
    of.advance(minute);
    // Each minute has a tenant of its own, and over all of them none is common.
    for (std::uint64_t n = 0; n < 30; ++n) {
      pin(of, {{"tenant", static_cast<std::uint64_t>(minute)}, {"_id", minute * 100 + n}});
    }
  }
  for (const auto& each : of.fields()) {
    const minute_shares minutes = each.of.values.minutes(0);
    EXPECT_EQ(minutes.requests, 1'500U);
    EXPECT_EQ(minutes.hottest, each.path == "tenant" ? 1'500U : 50U) << each.path;
  }
}

TEST(collection_sketches, leave_out_minutes_with_few_requests) {
  collection_sketches of{"shop", "orders"};
  for (std::int64_t minute = 0; minute < 10; ++minute) {
    of.advance(minute);
    for (int n = 0; n < (minute == 0 ? 20 : 19); ++n) pin(of, {{"a", 1}});
  }
  const minute_shares expected{20, 20};
  EXPECT_EQ(of.fields().front().of.values.minutes(0), expected);
}

TEST(collection_sketches, take_the_order_of_new_documents) {
  collection_sketches of{"shop", "orders"};
  for (std::uint64_t n = 0; n < 100; ++n) pin(of, {{"_id", n}}, true);
  const auto order = of.fields().front().of.order;
  ASSERT_TRUE(order);
  EXPECT_DOUBLE_EQ(order->correlation, 1);
  EXPECT_TRUE(order->is_of_inserts);
  EXPECT_EQ(of.fields().front().of.pinned, 0U) << "an insert pins nothing";
}

TEST(collection_sketches, of_a_list_count_each_of_its_values) {
  collection_sketches of{"shop", "orders"};
  pin(of, {{"a", 1}, {"a", 2}, {"a", 3}, {"b", 9}});
  EXPECT_EQ(of.requests(), 1U);
  EXPECT_EQ(of.fields().front().of.pinned, 1U);
  EXPECT_EQ(of.fields().front().of.values.commonest().total(), 3U);
  EXPECT_EQ(of.pairs().front().of.values.commonest().total(), 3U);
  EXPECT_EQ(of.pairs().front().of.pinned, 1U);
}

TEST(collection_sketches, ignore_fields_that_were_displaced) {
  collection_sketches of{"shop", "orders"};
  const auto old = of.admit("old");
  for (int i = 0; i < 100; ++i) (void)of.admit("new" + std::to_string(i));
  ASSERT_NE(of.admit("old"), old);
  const sketched_value value{*old, 1, {}};
  of.add({{&value, 1}, 1, false});
  EXPECT_EQ(of.requests(), 1U);
  EXPECT_FALSE(of.admit(std::string(65, 'x')));
  EXPECT_FALSE(of.admit(""));
}

TEST(collection_sketches, of_a_sum_equal_those_of_both_streams) {
  collection_sketches one{"shop", "orders"};
  collection_sketches other{"shop", "orders"};
  collection_sketches both{"shop", "orders"};
  std::uint64_t n = 0;
  for (const std::uint64_t tenant : zipf(4'000, 30, 1)) {
    auto& to = n % 3 == 0 ? one : other;
    for (auto* each : {&to, &both}) pin(*each, {{"tenant", tenant}, {"_id", n}});
    ++n;
  }
  one.add(other);
  EXPECT_EQ(one.requests(), both.requests());
  ASSERT_EQ(paths_of(one).size(), paths_of(both).size());
  for (const auto& each : one.fields()) {
    const auto all = both.fields();
    const auto same = std::ranges::find(all, each.path, &collection_sketches::kept_field::path);
    EXPECT_EQ(each.of.requests, same->of.requests);
    EXPECT_EQ(each.of.pinned, same->of.pinned);
    EXPECT_EQ(each.of.values.distinct(), same->of.values.distinct());
    EXPECT_EQ(each.of.values.commonest().total(), same->of.values.commonest().total());
    if (each.path == "tenant") {
      EXPECT_EQ(each.of.values.commonest().ranked(), same->of.values.commonest().ranked());
    }
  }
  EXPECT_EQ(one.pairs().front().of.values.distinct(),
            both.pairs().front().of.values.distinct());
}

TEST(collection_sketches, take_no_more_than_their_bound) {
  // The objects, with malloc's overhead, and a path of full length for each known field.
  constexpr std::size_t malloc_bytes = 16;
  constexpr std::size_t known_bytes = 48 + 32 + collection_sketches::max_path_bytes;
  constexpr std::size_t order_bytes = sizeof(value_order) + 16;
  constexpr std::size_t sketch_bytes = sizeof(value_sketch) + 40 + malloc_bytes;
  EXPECT_LE(sizeof(collection_sketches) + 16 * known_bytes + 8 * (sketch_bytes + order_bytes) +
                8 * sketch_bytes,
            collection_sketches::max_bytes);
}

TEST(sketch_set, has_a_bounded_number_of_collections) {
  sketch_set of{1};
  for (std::size_t i = 0; i < sketch_set::max_collections; ++i) {
    EXPECT_NE(of.find_or_add("shop", std::to_string(i)), nullptr);
  }
  EXPECT_EQ(of.find_or_add("shop", "more"), nullptr);
  EXPECT_EQ(of.find("shop", "more"), nullptr);
  EXPECT_NE(of.find_or_add("shop", "0"), nullptr);
  EXPECT_EQ(of.all().size(), sketch_set::max_collections);
}

TEST(sketch_set, adds_another) {
  sketch_set one{1};
  sketch_set other{1};
  pin(*one.find_or_add("shop", "a"), {{"x", 1}});
  pin(*other.find_or_add("shop", "a"), {{"x", 2}});
  pin(*other.find_or_add("shop", "b"), {{"x", 3}});
  one.add(other);
  EXPECT_EQ(one.find("shop", "a")->requests(), 2U);
  EXPECT_EQ(one.find("shop", "b")->requests(), 1U);
}

}  // namespace
}  // namespace scattergate::digest
