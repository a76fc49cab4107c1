#include "advise/sketched_values.hpp"

#include <gtest/gtest.h>

#include "tests/advise/sent_traffic.hpp"
#include "tests/digest/sketches/sketch_streams.hpp"

namespace scattergate::advise {
namespace {

using advise_tests::sent_traffic;

/// db.c, where 60 % of all requests are of one tenant, ids grow, and a fifth are inserts.
digest::sketch_pool tenants(std::uint64_t salt = 1) {
  digest::sketch_set of{salt};
  digest::collection_sketches& c = *of.find_or_add("db", "c");
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    c.advance(static_cast<std::int64_t>(i / 200));
    const std::uint64_t tenant = i % 10 < 6 ? 0 : 1 + i % 97;
    digest::pin(c, {{"tenant", tenant}, {"id", i}}, i % 5 == 0);
    if (i % 100 == 0) digest::pin(c, {{"other", i}});
  }
  digest::sketch_pool made;
  made.add(std::move(of));
  return made;
}

TEST(sketched_values, are_the_statistics_of_a_field) {
  const auto pool = tenants();
  const auto known = statistics_in(pool)("db.c", {"tenant"});
  ASSERT_TRUE(known);
  EXPECT_NEAR(*known->cardinality, 98, 8);
  EXPECT_NEAR(known->top_shares.at(0), 0.6, 0.02);
  EXPECT_LE(known->top_shares.size(), 5U);
  EXPECT_NEAR(*known->per_minute_max_share, 0.6, 0.02);
  EXPECT_LT(std::abs(*known->monotonicity), 0.7);
  EXPECT_NEAR(known->pinned_share, 0.99, 0.01);
}

TEST(sketched_values, of_a_pair_are_its_own_in_either_order) {
  const auto pool = tenants();
  const auto one = statistics_in(pool)("db.c", {"tenant", "id"});
  const auto other = statistics_in(pool)("db.c", {"id", "tenant"});
  ASSERT_TRUE(one && other);
  EXPECT_NEAR(*one->cardinality, 2'000, 200);
  EXPECT_EQ(one->cardinality, other->cardinality);
  EXPECT_LT(one->top_shares.at(0), 0.05);
  EXPECT_LT(std::abs(*one->monotonicity), 0.7) << "the first field's";
  EXPECT_GT(*other->monotonicity, 0.9);
}

TEST(sketched_values, of_more_fields_are_bounded_by_those_of_their_parts) {
  const auto pool = tenants();
  const auto known = statistics_in(pool)("db.c", {"tenant", "id", "other"});
  ASSERT_TRUE(known);
  EXPECT_GE(*known->cardinality, 1'800);
  EXPECT_LT(known->top_shares.at(0), 0.05);
}

TEST(sketched_values, are_unknown_for_a_field_or_a_collection_without_sketches) {
  const auto pool = tenants();
  const auto source = statistics_in(pool);
  EXPECT_FALSE(source("db.c", {"unheard"}));
  EXPECT_FALSE(source("db.c", {"tenant", "unheard"}));
  EXPECT_FALSE(source("db.d", {"tenant"}));
  EXPECT_FALSE(source("nonsense", {"tenant"}));
  EXPECT_FALSE(statistics_in(nullptr));
}

TEST(sketched_values, of_several_salts_are_those_of_most_requests) {
  digest::sketch_pool pool = tenants(1);
  EXPECT_FALSE(pool.has_several_salts());
  digest::sketch_set few{2};
  digest::pin(*few.find_or_add("db", "c"), {{"tenant", 1}});
  pool.add(std::move(few));
  EXPECT_TRUE(pool.has_several_salts());
  EXPECT_NEAR(*statistics_in(pool)("db.c", {"tenant"})->cardinality, 98, 8);
}

/// 60 % of the requests are of one tenant, but only a fifth are new documents.
TEST(sketched_values, bound_the_new_documents_of_one_prefix_where_the_next_field_grows) {
  sent_traffic sent{R"({"version": "8.0", "collections": [{"ns": "db.c", "key": {"x": 1}}]})"};
  sent.add_shape(R"({"find": "c", "filter": {"tenant": 1, "id": 1}})", 1'600);
  sent.add_shape(R"({"insert": "c", "documents": [{"id": 1}]})", 400);
  const auto pool = tenants();
  const auto advised = sent.advice({}, statistics_in(pool)).collections.at(0);
  const auto per_minute = [&](const char* key) {
    return *advise_tests::key_in(advised, key).all.values.per_minute;
  };
  EXPECT_NEAR(per_minute("{tenant: 1, id: 1}"), 0.2, 0.01);
  EXPECT_LT(per_minute("{tenant: 1, id: \"hashed\"}"), 0.05);
}

TEST(sketched_values, make_a_hot_key_and_a_growing_one_known) {
  sent_traffic sent{R"({"version": "8.0", "collections": [{"ns": "db.c", "key": {"x": 1}}]})"};
  sent.add_shape(R"({"find": "c", "filter": {"tenant": 1, "id": 1}})", 1'600);
  sent.add_shape(R"({"insert": "c", "documents": [{"id": 1}]})", 400);
  const auto pool = tenants();
  question asked;
  asked.named = {{{"id", false}}, {{"tenant", false}}};
  const auto advised = sent.advice(asked, statistics_in(pool)).collections.at(0);
  for (const candidate& one : advised.candidates) {
    if (one.key.front().path == "tenant" && one.key.size() == 1) {
      EXPECT_TRUE(one.is_hot);
      EXPECT_EQ(one.jumbo, jumbo_risk::high);
      EXPECT_NEAR(one.all.values.distinct, 98, 8);
    }
    if (one.key.front().path != "id") continue;
    // The proposed key is hashed, because its values grow.
    EXPECT_EQ(one.key.front().hashed, one.from == key_origin::proposed);
    EXPECT_EQ(one.is_monotonic, !one.key.front().hashed);
    if (one.from == key_origin::named) {
      EXPECT_NEAR(*one.all.values.per_minute, 0.2, 0.01) << "all inserts go to one place";
    }
  }
  const auto without = sent.advice(asked).collections.at(0);
  EXPECT_LT(advised.unknown.size(), without.unknown.size());
}

}  // namespace
}  // namespace scattergate::advise
