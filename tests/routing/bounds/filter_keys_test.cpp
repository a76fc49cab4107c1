#include "tests/routing/bounds/filter_rows.hpp"

/// Hashed, compound and dotted keys; $or and its kin; collation; refusals.
namespace scattergate::routing_tests {
namespace {

/// The hash's own test covers which of two halves a hash falls into; these tests ask once.
constexpr std::string_view halves = R"([{"a": {"$numberLong": "0"}}])";

std::string half_of(std::string_view value) {
  const auto entries = catalog_of(R"({"a": "hashed"})", halves);
  return judged(entries, R"({"find": "c", "filter": {"a": )" + std::string{value} + "}}")
      .where();
}

TEST(hashed_keys, equality_is_the_chunk_of_the_hash) {
  EXPECT_EQ(half_of("2"), half_of("2.2"));
  EXPECT_EQ(half_of("2"), half_of(R"({"$numberLong": "2"})"));
  EXPECT_EQ(half_of("null").substr(0, 12), "single_shard");
}

TEST(hashed_keys, only_points_bound) {
  const auto entries = catalog_of(R"({"a": "hashed"})", halves);
  expect_finds(entries, {{R"({"a": {"$gt": 5}})", "scatter_gather 0,1"},
                         {R"({"a": {"$gt": 5, "$lt": 5}})", "scatter_gather 0,1"},
                         {R"({"a": {"$ne": 5}})", "scatter_gather 0,1"},
                         {R"({"a": {"$ne": null}})", "scatter_gather 0,1"},
                         {R"({"a": {"$nin": [5]}})", "scatter_gather 0,1"},
                         {R"({"a": {"$exists": true}})", "scatter_gather 0,1"},
                         {R"({"a": {"~type": "number"}})", "scatter_gather 0,1"},
                         {R"({"a": {"$mod": [2, 0]}})", "scatter_gather 0,1"},
                         {R"({"a": {"~regex": "^x"}})", "scatter_gather 0,1"},
                         {R"({"a": [-5]})", "multi_shard 0,1"},
                         {R"({"a": [1, 2]})", "single_shard 1"},
                         {R"({"a": {"$in": [1, [2]]}})", "single_shard 1"},
                         {R"({"a.b": 1})", "scatter_gather 0,1"},
                         {R"({})", "scatter_gather 0,1"}});
  EXPECT_EQ(judged(entries, R"({"find": "c", "filter": {"a": {"$exists": false}}})").where(),
            half_of("null"));
  EXPECT_EQ(judged(entries, R"({"find": "c", "filter": {"a": {"$eq": 7, "$gt": 5}}})").where(),
            half_of("7"));
}

TEST(hashed_keys, null_asks_for_undefined_too_before_8_0) {
  // The hash of undefined is 40158834000849533, that of null 2338878944348059895.
  constexpr std::string_view between = R"([{"a": {"$numberLong": "100000000000000000"}}])";
  constexpr std::string_view key = R"({"a": "hashed", "b": 1})";
  expect_finds(catalog_of(key, between), {{R"({"a": null})", "single_shard 1"},
                                          {R"({"a": {"$exists": false}})", "single_shard 1"}});
  expect_finds(catalog_of(key, between, "7.0"),
               {{R"({"a": null})", "multi_shard 0,1"},
                {R"({"a": null, "b": 5})", "single_shard 1"},
                {R"({"a": {"$exists": false}})", "single_shard 1"}});
}

TEST(hashed_keys, sets_are_points) {
  const auto unknown = catalog_of(R"({"a": "hashed"})", "");
  expect_finds(unknown, {{R"({"a": {"$in": [1, 2]}})", "multi_shard ?"},
                         {R"({"$or": [{"a": 1}, {"a": 2}]})", "multi_shard ?"},
                         {R"({"a": {"$in": [1]}})", "single_shard ?"},
                         {R"({"a": {"$in": [1, 1.0]}})", "single_shard ?"},
                         {R"({"$or": [{"a": 1}, {"a": {"$gt": 1}}]})", "scatter_gather ?"}});
}

TEST(compound_keys, a_hashed_field_behind_a_range_key) {
  const auto entries =
      catalog_of(R"({"p": 1, "_id": "hashed"})",
                 R"([{"p": 10}, {"p": 20, "_id": {"$numberLong": "0"}}, {"p": 21}])");
  expect_finds(entries, {{R"({"p": 5})", "single_shard 0"},
                         {R"({"p": 20})", "multi_shard 1,2"},
                         {R"({"p": 20, "_id": {"$gt": 5}})", "multi_shard 1,2"},
                         {R"({"p": {"$gte": 30}})", "single_shard 3"},
                         {R"({"_id": 5})", "scatter_gather 0,1,2,3"},
                         {R"({"_id": {"$gt": 5}, "status": "x"})", "scatter_gather 0,1,2,3"}});
  const auto exact = judged(entries, R"({"find": "c", "filter": {"p": 20, "_id": 5}})");
  EXPECT_EQ(exact.verdict().routing, routing::routing_class::single_shard);
  EXPECT_EQ(exact.verdict().bounds, routing::bounds_kind::point);
}

TEST(compound_keys, a_hashed_first_field_must_be_pinned) {
  const auto entries =
      catalog_of(R"({"a": "hashed", "b": 1})", R"([{"a": {"$numberLong": "0"}}])");
  expect_finds(entries, {{R"({"b": 5})", "scatter_gather 0,1"},
                         {R"({"a": {"$gt": 1}, "b": 5})", "scatter_gather 0,1"}});
  EXPECT_EQ(judged(entries, R"({"find": "c", "filter": {"a": 2}})").where(), half_of("2"));
  EXPECT_EQ(judged(entries, R"({"find": "c", "filter": {"a": 2, "b": {"$gt": 0}}})").where(),
            half_of("2"));
}

TEST(compound_keys, fields_behind_the_first_range_move_its_ends) {
  const auto entries =
      catalog_of(R"({"a": 1, "b": 1})", R"([{"a": 5, "b": 10}, {"a": 5, "b": 20}, {"a": 8}])");
  expect_finds(entries,
               {{R"({"a": 5, "b": 12})", "single_shard 1"},
                {R"({"a": 5})", "multi_shard 0,1,2"},
                {R"({"a": 5, "b": {"$gte": 12}})", "multi_shard 1,2"},
                {R"({"a": {"$gte": 5, "$lt": 8}, "b": {"$gte": 25}})", "multi_shard 2,3"},
                {R"({"a": {"$gte": 5, "$lte": 7}, "b": {"$gte": 25}})", "single_shard 2"},
                {R"({"a": {"$in": [1, 5]}, "b": 12})", "multi_shard 0,1"},
                {R"({"a": 5, "b": {"$in": [1, 25]}})", "multi_shard 0,2"},
                {R"({"a": 5, "b": {"$ne": 12}})", "multi_shard 0,1,2"},
                {R"({"a": 5, "$or": [{"b": 1}, {"b": 25}]})", "multi_shard 0,2"},
                {R"({"$or": [{"a": 1, "b": 1}, {"a": 9, "b": 9}]})", "multi_shard 0,3"},
                {R"({"b": 12})", "scatter_gather 0,1,2,3"},
                {R"({"$or": [{"a": 1}, {"b": 1}]})", "scatter_gather 0,1,2,3"},
                {R"({"b": 1, "a": 9})", "single_shard 3"}});
}

TEST(dotted_keys, paths_and_parents) {
  const auto entries = catalog_of(R"({"a.b": 1, "c": 1})", R"([{"a.b": 10}, {"a.b": 20}])");
  expect_finds(entries,
               {{R"({"a.b": 15, "c": 1})", "single_shard 1"},
                {R"({"a": {"b": 15}, "c": 1})", "single_shard 1"},
                {R"({"a": {"d": 1, "b": 15}, "c": 1})", "single_shard 1"},
                {R"({"a": {"b": 15}})", "scatter_gather 0,1,2"},
                {R"({"a": {"b": {"$eq": 15}}, "c": 1})", "scatter_gather 0,1,2"},
                {R"({"a": {"b": {"x": {"$eq": 15}}}, "c": 1})", "scatter_gather 0,1,2"},
                {R"({"a": {"b": {"x": [{"$eq": 15}]}}, "c": 1})", "scatter_gather 0,1,2"},
                {R"({"a": {"b": {"$ref": "x", "$id": 5}}, "c": 1})", "single_shard 2"},
                {R"({"a": {"d": 15}, "c": 1})", "scatter_gather 0,1,2"},
                {R"({"a": [{"b": 15}], "c": 1})", "scatter_gather 0,1,2"},
                {R"({"a": {"b": [15]}, "c": 1})", "scatter_gather 0,1,2"},
                {R"({"a.b": {"$gte": 20}})", "single_shard 2"},
                {R"({"a.b.x": 15, "c": 1})", "scatter_gather 0,1,2"},
                {R"({"a": 15, "c": 1})", "scatter_gather 0,1,2"},
                {R"({"a": {"$elemMatch": {"b": 15}}, "c": 1})", "single_shard 1"}});
}

TEST(unions, one_branch_without_bounds_asks_everybody) {
  const auto entries = catalog_of(R"({"a": 1})", R"([{"a": 10}, {"a": 20}])");
  expect_finds(
      entries,
      {{R"({"$or": [{"a": 5}, {"a": 25}]})", "multi_shard 0,2"},
       {R"({"$or": [{"a": 5}, {"b": 25}]})", "scatter_gather 0,1,2"},
       {R"({"$or": [{"a": 5, "b": 1}, {"a": 25, "b": 2}]})", "multi_shard 0,2"},
       {R"({"a": 5, "$or": [{"b": 1}, {"c": 7}]})", "single_shard 0"},
       {R"({"a": {"$gt": 1}, "$or": [{"a": 5}, {"a": 25}]})", "multi_shard 0,2"},
       {R"({"$or": [{"a": {"$lt": 9}}, {"$or": [{"a": 25}, {"a": 26}]}]})", "multi_shard 0,2"},
       {R"({"$and": [{"$or": [{"a": 5}, {"a": 15}]}, {"$or": [{"a": 15}]}]})",
        "single_shard 1"},
       {R"({"$or": [{"a": {"$ne": 5}}, {"a": 5}]})", "scatter_gather 0,1,2"}});
}

TEST(collations, strings_documents_and_arrays_lose_their_bounds) {
  const std::string_view french = R"(, "collation": {"locale": "fr"})";
  const auto letters = catalog_of(R"({"a": 1})", R"([{"a": "m"}])");
  expect_finds(letters,
               {{R"({"a": "x"})", "scatter_gather 0,1"},
                {R"({"a": {"$gt": "x"}})", "scatter_gather 0,1"},
                {R"({"a": {"$in": ["x", 5]}})", "scatter_gather 0,1"},
                {R"({"a": {"b": "x"}})", "scatter_gather 0,1"},
                {R"({"a": {"$ne": "x"}})", "scatter_gather 0,1"},
                {R"({"$expr": {"$eq": ["$a", "x"]}})", "scatter_gather 0,1"},
                {R"({"a": 5})", "single_shard 0"},
                {R"({"a": {"$in": [5, 6]}})", "single_shard 0"},
                {R"({"a": null})", "single_shard 0"},
                {R"({"a": {"$oid": "5f0000000000000000000000"}})", "single_shard 1"}},
               french);
  expect_finds(letters, {{R"({"a": "x"})", "single_shard 1"}},
               R"(, "collation": {"locale": "simple"})");

  const auto pairs = catalog_of(R"({"n": 1, "s": 1})", R"([{"n": 5}, {"n": 6}])");
  expect_finds(pairs, {{R"({"n": 1, "s": "x"})", "single_shard 0"}}, french);

  const auto by_default = catalog_of(R"({"collections": [{"ns": "db.c", "key": {"a": 1},
      "splits": [{"a": "m"}], "collation": {"locale": "fr"}}]})");
  expect_finds(by_default, {{R"({"a": "x"})", "scatter_gather 0,1"}});
  expect_finds(by_default, {{R"({"a": "x"})", "single_shard 1"}},
               R"(, "collation": {"locale": "simple"})");

  const auto hashed = catalog_of(R"({"a": "hashed"})", "");
  expect_finds(hashed,
               {{R"({"a": "x"})", "scatter_gather ?"}, {R"({"a": 5})", "single_shard ?"}},
               french);
}

TEST(reasons, report_what_stands_in_the_way) {
  struct reason_row {
    std::string_view key;
    std::string_view filter;
    std::string_view why;
    std::string_view missing;
  };
  const reason_row rows[] = {
      {R"({"a": 1})", "{}", "scatter_gather missing_key", "a"},
      {R"({"a": 1, "b": 1})", R"({"x": 1})", "scatter_gather missing_key", "a,b"},
      {R"({"a": 1, "b": 1})", R"({"b": 1})", "scatter_gather not_prefix", "a"},
      {R"({"p": 1, "_id": "hashed"})", R"({"_id": {"$gt": 1}, "status": "x"})",
       "scatter_gather missing_key", "p"},
      {R"({"a": "hashed"})", R"({"a": {"$gt": 1}})", "scatter_gather range_on_hashed", "a"},
      {R"({"a": 1})", R"({"$or": [{"a": 1}, {"b": 1}]})", "scatter_gather unbounded_or", "a"},
      {R"({"a": 1})", R"({"a": {"$ne": 1}})", "scatter_gather negation", ""},
      {R"({"a": "hashed"})", R"({"a": {"$ne": 1}})", "scatter_gather negation", "a"},
      {R"({"a": 1})", R"({"a": {"$size": 1}})", "scatter_gather not_indexable", "a"},
      {R"({"a": 1})", R"({"a": {"$gt": 1}, "$text": {"$search": "x"}})",
       "scatter_gather not_indexable", "a"},
      {R"({"a": 1})", R"({"a": {"$gt": 1}})", "multi_shard range", ""},
      {R"({"a": 1})", R"({"a": {"$in": [1, 2]}})", "multi_shard many_values", ""},
      {R"({"a": 1, "b": 1})", R"({"a": 1})", "multi_shard partial_key", "b"},
      {R"({"a": 1, "b": 1})", R"({"a": 1, "b": {"$gt": 1}})", "multi_shard range", ""},
      {R"({"a": 1})", R"({"a": 1})", "single_shard ", ""},
  };
  for (const reason_row& each : rows) {
    const judged found{catalog_of(each.key, ""),
                       R"({"find": "c", "filter": )" + std::string{each.filter} + "}"};
    EXPECT_EQ(found.why(), each.why) << each.filter;
    EXPECT_EQ(found.missing(), each.missing) << each.filter;
  }
}

TEST(refusals, an_unknown_operator_anywhere) {
  const auto entries = catalog_of(R"({"a": 1})", "");
  for (const std::string_view filter :
       {R"({"a": {"$foo": 1}})", R"({"a": 10, "b": {"$invalid": "20"}})", R"({"$foo": []})",
        R"({"$or": [{"a": 1}, {"x": {"$foo": 1}}]})", R"({"$or": []})", R"({"$and": [1]})",
        R"({"a": {"$not": {}}})", R"({"a": {"$not": 5}})", R"({"a": {"$in": 5}})",
        R"({"b": {"$in": [{"$gt": 1}]}})", R"({"a": {"~type": "nonsense"}})",
        R"({"a": {"$gt": 1, "x": 2}})", R"({"a": {"$elemMatch": {"$foo": 1}}})",
        R"({"a": {"$all": [{"$gt": 1}]}})", R"({"a": {"~options": "i"}})",
        R"({"a": {"$mod": [0, 1]}})", R"({"a": {"$undefined": true}})"}) {
    const judged found{entries, R"({"find": "c", "filter": )" + std::string{filter} + "}"};
    EXPECT_EQ(found.why(), "unknown refused") << filter;
    EXPECT_EQ(found.verdict().refused, routing::refusal::bad_value) << filter;
  }
}

}  // namespace
}  // namespace scattergate::routing_tests
