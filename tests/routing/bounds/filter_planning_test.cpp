#include "tests/routing/bounds/filter_rows.hpp"

/// The treatment of a filter by mongos's planner before 8.0, and of $expr by version. The key
/// is {a: 1} or {a: 1, b: 1}; the chunks of a are 0 below 0, 1 [0, 10), 2 [10, 20), 3 from 20.
/// The behaviour of 4.4 was recorded from a real one (../shared/real); the sources are named.
namespace scattergate::routing_tests {
namespace {

void expect_planned(std::initializer_list<filter_row> rows, std::string_view version = "4.4",
                    std::string_view key = R"({"a": 1})") {
  SCOPED_TRACE(version);
  expect_finds(catalog_of(key, splits_of_a, version), rows);
}

// mongo: query/indexability.h, isBoundsGeneratingNot; planner_ixselect.cpp, rateIndices.
TEST(planning, an_index_answers_the_negation_of_one_comparison) {
  expect_planned(
      {{R"({"a": {"$not": {"$lt": 20}}, "b": 1})", "multi_shard 0,3"},
       {R"({"a": {"$gte": 5, "$not": {"$gt": 7}}})", "single_shard 1"},
       {R"({"a": {"$gte": 5}, "$nor": [{"a": {"$gt": 7}}]})", "single_shard 1"},
       {R"({"a": {"$gte": 5}, "$nor": [{"$and": [{}, {"a": {"$gt": 7}}]}]})", "single_shard 1"},
       {R"({"a": {"$gte": 5}, "$nor": [{"a": {"$gt": 7}, "$or": [{"a": 5}, {}]}]})",
        "single_shard 1"},
       {R"({"a": {"$gte": 5}, "$nor": [{"a": {"$in": [7, 7]}}]})", "multi_shard 1,2,3"}});
}

TEST(planning, it_answers_no_other_negation) {
  expect_planned(
      {{R"({"a": {"$not": {"$ne": 5}}})", everywhere},
       {R"({"a": {"$gte": 5, "$not": {"$gt": 7, "$lt": 9}}})", "multi_shard 1,2,3"},
       {R"({"a": {"$gte": 5}, "$nor": [{"a": {"$gt": 7}}, {"b": 1}]})", "multi_shard 1,2,3"},
       {R"({"a": {"$gte": 5}, "$nor": [{"$nor": [{"a": 5}]}]})", "multi_shard 1,2,3"},
       {R"({"$nor": [{"a": {"$nin": [1, 2]}}]})", everywhere}});
}

// mongo: query/plan_enumerator.cpp, enumerateOneIndex: an $or that an index answers comes
// first, and the first of several as they are sorted.
TEST(planning, one_of_several_unions_bounds) {
  expect_planned(
      {{R"({"$and": [{"$or": [{"a": 1}, {"a": 11}]}, {"$or": [{"a": 1}, {"a": 21}]}]})",
        "multi_shard 1,2"},
       {R"({"$and": [{"$or": [{"a": {"$gt": 1}}, {"a": 11}]},
                        {"$or": [{"a": 1}, {"a": 21}]}]})",
        "multi_shard 1,3"},
       {R"({"$and": [{"$or": [{"b": 1}, {"a": 11}]}, {"$or": [{"a": 1}, {"a": 21}]}]})",
        "multi_shard 1,3"},
       {R"({"a": {"$lt": 9}, "$or": [{"a": 1}, {"a": 21}]})", "single_shard 1"}});
  // Later versions turn these unions into lists of equalities.
  expect_planned(
      {{R"({"$and": [{"$or": [{"a": 1}, {"a": 11}]}, {"$or": [{"a": 1}, {"a": 21}]}]})",
        "single_shard 1"}},
      "8.0");
}

TEST(planning, a_branch_may_lean_on_what_stands_next_to_the_union) {
  expect_planned(
      {{R"({"a": {"$gte": 10}, "$or": [{"b": 1}, {"b": 2}]})", "multi_shard 2,3"},
       {R"({"$or": [{"b": 1}, {"b": 2}]})", everywhere},
       {R"({"$or": [{"a": 1, "$or": [{"b": 1}, {"b": 2}]}, {"a": 11}]})", "multi_shard 1,2"}},
      "4.4", R"({"a": 1, "b": 1})");
}

// mongo: index_bounds_builder.cpp at 05bb7a0: $_internalExprGt and its kin make no exception of
// MinKey and MaxKey, which they leave out.
TEST(planning, an_expression_leaves_out_the_end_that_it_names) {
  for (const std::string_view version : {"5.0.0", "6.0.12", "8.2"}) {
    expect_planned({{R"({"$expr": {"$gt": ["$a", {"$literal": {"$minKey": 1}}]},
                 "a": {"$in": [5, {"$minKey": 1}]}})",
                     "single_shard 1"},
                    {R"({"$expr": {"$lt": ["$a", {"$literal": {"$maxKey": 1}}]},
                 "a": {"$in": [5, {"$maxKey": 1}]}})",
                     "single_shard 1"},
                    {R"({"$expr": {"$gte": ["$a", {"$literal": {"$minKey": 1}}]},
                 "a": {"$in": [5, {"$minKey": 1}]}})",
                     "multi_shard 0,1"}},
                   version);
  }
}

// mongo: query/compiler/optimizer/index_bounds_builder/index_bounds_builder.cpp at a9a9338,
// INTERNAL_EXPR_LT and INTERNAL_EXPR_LTE: a missing field, which is stored as null, is less
// than null, but not than MinKey.
TEST(planning, an_expression_finds_a_missing_field_below_null) {
  constexpr std::string_view around_null = R"([{"a": null}, {"a": 0}])";
  constexpr std::string_view query = R"({"a": {"$in": [null, {"$maxKey": 1}]}, "$or": [
      {"$expr": {"$lte": ["$a", {"$literal": {"$minKey": 1}}]}},
      {"$expr": {"$gt": ["$a", "ab"]}}]})";
  for (const std::string_view version : {"5.0.0", "6.0.12", "7.0.12", "8.0", "8.2"}) {
    const auto entries = catalog_of(R"({"a": 1})", around_null, version);
    const auto where = [&](std::string_view filter) {
      const std::string command = R"({"find": "c", "filter": )" + std::string{filter} + "}";
      return judged(entries, command).where();
    };
    EXPECT_EQ(where(R"({"$expr": {"$lt": ["$a", null]}})"), "multi_shard 0,1") << version;
    EXPECT_EQ(where(R"({"$expr": {"$lte": ["$a", {"$literal": {"$minKey": 1}}]}})"),
              "single_shard 0")
        << version;
  }
  // Only the last chunk is left, so that the write has one shard.
  const std::string write =
      R"({"findAndModify": "c", "update": {"$set": {"z": 1}}, "query": )" + std::string{query} +
      "}";
  for (const std::string_view version : {"6.0.12", "7.0.12"}) {
    const judged found{catalog_of(R"({"a": 1})", around_null, version), write};
    EXPECT_EQ(label(found.verdict().refused), "") << version;
    EXPECT_EQ(found.where(), "multi_shard 0,2") << version;
  }
}

// Recorded of 4.4, 5.0.0 and 8.0. mongo: planner_access.cpp, mergeWithLeafNode intersects the
// bounds of a hashed field as any other's (unchanged since 2015);
// shard_key_pattern_query_util.cpp (4.4: shard_key_pattern.cpp), flattenBounds: without
// intervals there are no ranges, and getShardIdsForQuery takes the first chunk's owner.
// index_bounds_builder.cpp, translateEquality: an array isn't hashed (the same from c023767 of
// 2021 to d400f20 of 2025).
TEST(planning, a_contradiction_of_hashes_goes_to_the_first_owner) {
  // The hashes of 1 and 2 lie in the upper half, that of 3 in the lower one. An equality next
  // to a union or $expr identifies a place (update/path_support.cpp,
  // extractFullEqualityMatches).
  constexpr filter_row rows[] = {
      {R"({"$and": [{"a": 1}, {"a": 2}]})", "single_shard 0"},
      {R"({"$and": [{"a": 1}, {"a": 1}]})", "single_shard 1"},
      {R"({"a": 1, "$or": [{"a": 2}, {"a": 3, "b": 1}]})", "single_shard 1"},
      {R"({"a": {"$all": [1, 2, 3]}})", "single_shard 0"},
      {R"({"$and": [{"a": {"$in": [1, 2]}}, {"a": {"$in": [3, 4]}}]})", "single_shard 0"},
      {R"({"$and": [{"a": {"$in": [1, 2]}}, {"a": {"$in": [1, 4]}}]})", "single_shard 1"},
      {R"({"a": 1, "$expr": {"$eq": ["$a", 2]}})", "single_shard 1"},
      {R"({"a": 1, "$expr": {"$eq": ["$a", 1]}})", "single_shard 1"},
      {R"({"a": {"$in": [1, 2], "$exists": false}})", "single_shard 0"},
      {R"({"a": [-5]})", "multi_shard 0,1"},
      {R"({"a": [5]})", "single_shard 1"},
      {R"({"$and": [{"a": 1}, {"a": [5]}]})", "single_shard 0"},
      {R"({"a": {"$gt": 5, "$lt": 5}})", "scatter_gather 0,1"},
  };
  for (const std::string_view version :
       {"4.4", "5.0", "5.0.14", "6.0.12", "7.0.12", "8.0", "8.1", "8.2", "9.0"}) {
    const auto entries =
        catalog_of(R"({"a": "hashed"})", R"([{"a": {"$numberLong": "0"}}])", version);
    for (const filter_row& each : rows) {
      EXPECT_EQ(judged(entries, R"({"find": "c", "filter": )" + std::string{each.filter} + "}")
                    .where(),
                each.where)
          << version << " " << each.filter;
    }
  }
}

TEST(planning, a_contradiction_of_hashes_behind_a_prefix_asks_the_first_owner) {
  const auto where = [](std::string_view version) {
    const auto entries =
        catalog_of(R"({"a": 1, "b": "hashed"})", R"([{"a": 0}, {"a": 10}])", version);
    return judged(entries, R"({"find": "c", "filter": {"a": 15, "b": {"$all": [1, 2]}}})")
        .where();
  };
  for (const std::string_view version :
       {"4.4", "5.0", "6.0.12", "7.0.12", "8.0", "8.2", "9.0"}) {
    EXPECT_EQ(where(version), "single_shard 0") << version;
  }
}

// mongo 4.4: chunk_manager.cpp, findIntersectingChunk looks at the hash's type.
TEST(planning, a_hash_under_a_collation_is_a_place_in_4_4) {
  const auto where = [](std::string_view version) {
    const auto entries = catalog_of(R"({"a": "hashed"})", "", version);
    return judged(entries,
                  R"({"find": "c", "filter": {"a": "x"}, "collation": {"locale": "fr"}})")
        .where();
  };
  EXPECT_EQ(where("4.4"), "single_shard ?");
  EXPECT_EQ(where("5.0.0"), "single_shard ?");
  EXPECT_EQ(where("5.0"), "scatter_gather ?");
  EXPECT_EQ(where("8.0"), "scatter_gather ?");
}

// mongo 4.4: chunk_manager.cpp, getShardIdsForRange: chunks end before MaxKey.
TEST(planning, max_key_is_on_no_shard_in_4_4_and_5_0_0) {
  for (const std::string_view version : {"4.4", "5.0.0"}) {
    expect_planned({{R"({"a": {"$maxKey": 1}})", "single_shard 0"},
                    {R"({"a": {"~type": 127}})", "single_shard 0"},
                    {R"({"a": {"$gte": {"$maxKey": 1}}})", "single_shard 0"},
                    {R"({"a": {"$in": [{"$maxKey": 1}, 5]}})", "single_shard 1"},
                    {R"({"a": {"$gte": 25}})", "single_shard 3"}},
                   version);
  }
}

// mongo at 0479b3d30874: chunk_manager.cpp. ChunkMap::findIntersectingChunk looks at the last
// chunk for an equality; _overlappingVectorSlotBounds finds none for a range that begins there.
TEST(planning, later_versions_find_max_key_in_the_last_chunk) {
  expect_planned({{R"({"a": {"$maxKey": 1}})", "multi_shard 0,3"}}, "5.0");  // 5.0.0, or later?
  for (const std::string_view version : {"5.0.31", "6.0.12", "8.0", "9.0"}) {
    expect_planned({{R"({"a": {"$maxKey": 1}})", "single_shard 3"},
                    {R"({"a": {"~type": 127}})", "multi_shard 0,3"},
                    {R"({"a": {"$gte": {"$maxKey": 1}}})", "multi_shard 0,3"},
                    {R"({"a": {"$in": [{"$maxKey": 1}, 5]}})", "multi_shard 1,3"},
                    {R"({"a": {"$gte": 25}})", "single_shard 3"}},
                   version);
  }
}

// mongo: chunk_manager.cpp, getIndexBoundsForQuery.
TEST(planning, near_leaves_the_full_pin_alone_before_7_0) {
  expect_planned({{R"({"loc": {"$near": [0, 0]}, "a": {"$gt": 1, "$lt": 5}})", everywhere},
                  {R"({"loc": {"$near": [0, 0]}, "a": 5})", "single_shard 1"}});
  expect_planned(
      {{R"({"loc": {"$near": [0, 0]}, "a": {"$gt": 1, "$lt": 5}})", "single_shard 1"}}, "7.0");
}

// mongo: query/indexability.h, arrayUsesIndexOnOwnField.
TEST(planning, an_elem_match_bounds_where_all_of_it_does) {
  expect_planned({{R"({"a": {"$elemMatch": {"$gte": 1, "$lt": 5}}})", "single_shard 1"},
                  {R"({"a": {"$elemMatch": {"$gte": 1, "$size": 5}}})", everywhere}});
}

// mongo: matcher/expression_tree.cpp, getOptimizer: an $and with what is always false is that.
TEST(planning, what_is_always_false_is_answered_by_no_index_before_8_0) {
  expect_planned({{R"({"a": 5, "b": {"$all": []}})", everywhere},
                  {R"({"$or": [{"a": 5}, {"a": 6, "b": {"$all": []}}]})", "single_shard 1"},
                  {R"({"a": {"$in": []}})", "single_shard 0"}});
}

TEST(planning, the_ends_move_though_the_first_field_is_unbounded) {
  const auto entries =
      catalog_of(R"({"a": 1, "b": 1})", R"([{"a": {"$minKey": 1}, "b": 5}])", "4.4");
  const auto where = [&](std::string_view filter) {
    return judged(entries, R"({"find": "c", "filter": )" + std::string{filter} + "}").where();
  };
  EXPECT_EQ(where(R"({"a": {"$exists": true}, "b": {"$gt": 7}})"), "scatter_gather 1");
  EXPECT_EQ(where(R"({"a": {"$exists": true}, "b": {"$gt": 7, "$lt": 6}})"), "single_shard 0");
  EXPECT_EQ(where(R"({"b": {"$gt": 7}})"), "scatter_gather 0,1");
}

// mongo: matcher/rewrite_expr.cpp, _canRewriteComparison: $eq alone in 4.4, orders from 5.0.
TEST(expressions, are_rewritten_by_version) {
  expect_planned({{R"({"$expr": {"$eq": ["$a", 5]}})", "single_shard 1"},
                  {R"({"$expr": {"$gt": ["$a", 15]}})", everywhere},
                  {R"({"$expr": {"$lte": ["$a", 5]}})", everywhere},
                  {R"({"$expr": {"$in": ["$a", [1, 5]]}})", everywhere},
                  {R"({"$expr": {"$eq": ["$a", [5]]}})", everywhere},
                  {R"({"$expr": {"$eq": ["$a", null]}})", "single_shard 0"},
                  {R"({"$expr": {"$eq": ["$a", {"$add": [2, 3]}]}})", "single_shard 1"}});
  expect_planned({{R"({"$expr": {"$gt": ["$a", 15]}})", "multi_shard 2,3"},
                  {R"({"$expr": {"$in": ["$a", [1, 5]]}})", everywhere}},
                 "5.0");
  expect_planned({{R"({"$expr": {"$in": ["$a", [1, 5]]}})", "single_shard 1"},
                  {R"({"$expr": {"$in": ["$a", [1, {"$add": [10, 5]}]]}})", "multi_shard 1,2"},
                  {R"({"$expr": {"$in": [5, "$a"]}})", everywhere},
                  {R"({"$expr": {"$in": ["$a", ["$b"]]}})", everywhere}},
                 "8.1");
}

// mongo: compiler/rewrites/matcher/rewrite_expr.cpp at 0785196, _rewriteInExpression.
TEST(expressions, a_list_with_what_a_filter_finds_otherwise_is_not_rewritten) {
  for (const std::string_view version : {"8.1", "8.2", "9.0"}) {
    expect_planned({{R"({"$expr": {"$in": ["$a", [1, null]]}})", everywhere},
                    {R"({"$expr": {"$in": ["$a", [1, [5]]]}})", everywhere},
                    {R"({"$expr": {"$in": ["$a", [{"$regularExpression": {"pattern": "^a",
                "options": ""}}]]}})",
                     everywhere},
                    {R"({"$expr": {"$and": [{"$in": ["$a", [null]]}, {"$eq": ["$a", 5]}]}})",
                     "single_shard 1"},
                    {R"({"$expr": {"$in": ["$a", [1, {"x": null}]]}})", "multi_shard 1,3"}},
                   version);
  }
  // The empty list is seen to match nothing.
  expect_planned({{R"({"$expr": {"$in": ["$a", []]}})", everywhere}}, "8.1");
  expect_planned({{R"({"$expr": {"$in": ["$a", []]}})", "single_shard 0"}}, "8.2");
}

TEST(expressions, conjunctions_are_rewritten_in_part_and_unions_as_a_whole) {
  expect_planned(
      {{R"({"$expr": {"$and": [{"$eq": ["$a", 5]}, {"$gt": ["$b", 1]}]}})", "single_shard 1"},
       {R"({"$expr": {"$or": [{"$eq": ["$a", 5]}, {"$eq": ["$a", 15]}]}})", "multi_shard 1,2"},
       {R"({"$expr": {"$or": [{"$eq": ["$a", 5]}, {"$gt": ["$a", 15]}]}})", everywhere},
       {R"({"$expr": {"$and": [{"$or": [{"$eq": ["$a", 5]}]}, {"$eq": ["$b", 5]}]}})",
        "single_shard 1"},
       {R"({"$nor": [{"$expr": {"$eq": ["$a", 5]}}]})", everywhere}});
}

// mongo: pipeline/expression.cpp, ExpressionCond::optimize, before the rewriting to bounds.
TEST(expressions, a_choice_by_a_constant_is_the_branch_it_chooses) {
  const std::string list =
      R"({"$expr": {"$cond": [{"$gt": [2, 1]}, {"$eq": ["$a", 5]}, false]}})";
  expect_planned(
      {{list, "single_shard 1"},
       {R"({"$expr": {"$cond": {"if": null, "then": true, "else": {"$eq": ["$a", 5]}}}})",
        "single_shard 1"},
       {R"({"$expr": {"$and": [{"$cond": ["", {"$eq": ["$a", 5]}, false]}]}})",
        "single_shard 1"},
       {R"({"$expr": {"$cond": ["$b", {"$eq": ["$a", 5]}, false]}})", everywhere}},
      "8.0");
  expect_planned({{list, everywhere}}, "7.0");
}

// mongo: update/path_support.cpp, extractFullEqualityMatches takes plain equalities alone.
TEST(expressions, bound_but_do_not_pin) {
  expect_planned({{R"({"a": 15, "$expr": {"$eq": ["$a", 5]}})", "single_shard 2"},
                  {R"({"a": {"$gt": 15}, "$expr": {"$eq": ["$a", 5]}})", "single_shard 0"}});
}

TEST(expressions, the_time_is_some_date) {
  const auto where = [&](std::string_view expression, std::string_view version = "8.0") {
    const auto entries =
        catalog_of(R"({"a": 1})",
                   R"([{"a": false}, {"a": {"$date": {"$numberLong": "-9223372036854775808"}}},
          {"a": {"$timestamp": {"t": 0, "i": 0}}}])",
                   version);
    return judged(entries,
                  R"({"find": "c", "filter": {"$expr": )" + std::string{expression} + "}}")
        .where();
  };
  EXPECT_EQ(where(R"({"$eq": ["$a", "$$NOW"]})"), "single_shard 2");
  EXPECT_EQ(where(R"({"$eq": ["$a", "$$NOW"]})", "6.0.12"), "single_shard 2");
  EXPECT_EQ(where(R"({"$eq": ["$a", "$$NOW"]})", "5.0.0"), everywhere);
  EXPECT_EQ(where(R"({"$lte": ["$a", "$$NOW"]})"), "multi_shard 0,1,2");
  EXPECT_EQ(where(R"({"$gt": ["$a", {"$subtract": ["$$NOW", 1000]}]})"), "multi_shard 2,3");
}

}  // namespace
}  // namespace scattergate::routing_tests
