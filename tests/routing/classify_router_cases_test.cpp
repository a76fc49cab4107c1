#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// The shards that a query reaches, as mongos's own tests expect them
/// (chunk_manager_query_test.cpp), in our own words.
namespace scattergate::routing_tests {
namespace {

struct query_case {
  std::string_view name;
  std::string_view filter;
  std::string_view where;
};

std::string find(std::string_view filter) {
  return R"({"find": "c", "filter": )" + std::string{filter} + "}";
}

TEST(router_cases, one_chunk_per_letter) {
  const auto entries = catalog_of(R"({"a": 1})", R"([{"a": "x"}, {"a": "y"}, {"a": "z"}])");
  const query_case cases[] = {
      {"no filter", "{}", "scatter_gather 0,1,2,3"},
      {"another field", R"({"b": 1})", "scatter_gather 0,1,2,3"},
      {"equality", R"({"a": "y"})", "single_shard 2"},
      {"a set", R"({"a": {"$in": ["u", "y"]}})", "multi_shard 0,2"},
      {"greater", R"({"a": {"$gt": "x"}})", "multi_shard 1,2,3"},
      {"greater or equal", R"({"a": {"$gte": "x"}})", "multi_shard 1,2,3"},
      {"less: the excluded end counts", R"({"a": {"$lt": "y"}})", "multi_shard 0,1,2"},
      {"less or equal", R"({"a": {"$lte": "y"}})", "multi_shard 0,1,2"},
      {"$or of equalities", R"({"$or": [{"a": "u"}, {"a": "y"}]})", "multi_shard 0,2"},
      {"$or with a range", R"({"$or": [{"a": "u"}, {"a": {"$gte": "y"}}]})",
       "multi_shard 0,2,3"},
      {"$or with an empty branch", R"({"$or": [{"a": "u"}, {"a": {"$gte": "zz"}}, {}]})",
       "scatter_gather 0,1,2,3"},
      {"an empty range", R"({"a": {"$gt": "x", "$lt": "x"}})", "single_shard 0"},
      {"$or with an empty range",
       R"({"$or": [{"a": "x"}, {"a": {"$gt": "u", "$lt": "u"}}, {"a": {"$gte": "y"}}]})",
       "multi_shard 1,2,3"},
      {"a number below all letters", R"({"a": 5})", "single_shard 0"},
  };
  for (const query_case& each : cases) {
    EXPECT_EQ(judged(entries, find(each.filter)).where(), each.where) << each.name;
  }
}

TEST(router_cases, the_second_field_of_a_compound_key) {
  const auto letters =
      catalog_of(R"({"a": 1, "b": 1})", R"([{"a": "x"}, {"a": "y"}, {"a": "z"}])");
  EXPECT_EQ(judged(letters, find(R"({"a": 1, "b": {"$gt": 4, "$lt": 4}})")).where(),
            "single_shard 0");
  EXPECT_EQ(judged(letters, find(R"({"a": {"$gt": 1}, "b": {"$gt": 4, "$lt": 4}})")).where(),
            "single_shard 0");

  const auto pairs =
      catalog_of(R"({"a": 1, "b": 1})", R"([{"a": 5, "b": 10}, {"a": 5, "b": 20}])");
  EXPECT_EQ(
      judged(pairs, find(R"({"a": {"$in": [0, 5, 10]}, "b": {"$in": [0, 5, 25]}})")).where(),
      "multi_shard 0,1,2");
}

TEST(router_cases, a_single_chunk_is_still_asked_in_full) {
  const auto entries = catalog_of(R"({"a": 1})", "[]");
  EXPECT_EQ(judged(entries, find("{}")).where(), "scatter_gather 0");
  EXPECT_EQ(judged(entries, find(R"({"a": "x"})")).where(), "single_shard 0");
  EXPECT_EQ(judged(entries, find(R"({"a": {"$gt": "x", "$lt": "x"}})")).where(),
            "single_shard 0");
}

}  // namespace
}  // namespace scattergate::routing_tests
