#include "tests/routing/bounds/filter_rows.hpp"

/// Filters that mongos simplifies as boolean expressions, from 8.0 on, and keeps as written
/// where that isn't smaller. The key is {a: 1}; the chunks of a are 0 below 0, 1 [0, 10), 2
/// [10, 20), 3 from 20. Sizes are those of mongo: matcher/expression_simplifier.cpp at 0ef9a57
/// (8.0) and 1c287af (later versions), simplifyMatchExpression;
/// expression_bitset_tree_converter.cpp; boolean_simplification/bitset_tree.h, calculateSize.
namespace scattergate::routing_tests {
namespace {

std::string where(std::string_view filter, std::string_view version,
                  std::string_view key = R"({"a": 1})") {
  const std::string command = R"({"find": "c", "filter": )" + std::string{filter} + "}";
  return judged{catalog_of(key, splits_of_a, version), command}.where();
}

void expect_simplified(std::initializer_list<filter_row> rows,
                       std::initializer_list<std::string_view> versions = {"8.0", "8.2",
                                                                           "9.0"}) {
  for (const std::string_view version : versions) {
    SCOPED_TRACE(version);
    expect_finds(catalog_of(R"({"a": 1})", splits_of_a, version), rows);
  }
}

TEST(simplified, what_is_no_smaller_stays_as_it_was_written) {
  expect_simplified({
      {R"({"a": {"$not": {"$ne": 5}}})", everywhere},              // 1, would be 2
      {R"({"$nor": [{"a": {"$ne": 5}}]})", everywhere},            // 1, would be 2
      {R"({"$nor": [{"a": {"$ne": 5}}, {"x": 1}]})", everywhere},  // 3, would be 3
      {R"({"a": {"$not": {"$gte": -5, "$lt": 50}}})", everywhere},
      {R"({"x": 1, "a": {"$not": {"$ne": 5}}})", everywhere},  // 3, would be 3
      {R"({"a": {"$not": {"$nin": [5, 6]}}})", everywhere},
      {R"({"$nor": [{"a": {"$lt": 15}}, {"a": {"$gte": 25}}]})", everywhere},
      {R"({"$nor": [{"$nor": [{"a": 5}, {"a": 6}]}]})", everywhere},
      {R"({"$nor": [{"$or": [{"a": {"$ne": 5}}, {"x": 1}]}]})", everywhere},
      {R"({"$or": [{"a": 5}, {"a": {"$not": {"$ne": 6}}}]})", everywhere},
  });
}

TEST(simplified, what_is_smaller_hands_the_negation_down) {
  expect_simplified({
      {R"({"x": 1, "$nor": [{"a": {"$ne": 5}}, {"y": 1}]})", "single_shard 1"},  // 5, now 4
      {R"({"$and": [{"x": 1}, {"$nor": [{"a": {"$lt": 15}}, {"a": {"$gte": 18}}]}]})",
       "multi_shard 0,2,3"},
      {R"({"a": {"$gte": 5, "$not": {"$gt": 7}}})", "single_shard 1"},
      {R"({"a": {"$gte": 5}, "$nor": [{"a": {"$gt": 7}}]})", "single_shard 1"},
      // Two that are the same make it smaller.
      {R"({"x": 1, "$and": [{"x": 1}, {"a": {"$not": {"$ne": 5}}}]})", "single_shard 1"},
      {R"({"$nor": [{"a": {"$ne": 5}}, {"y": 1}, {"z": 1}], "x": {"$gt": 1}})",
       "single_shard 1"},
  });
}

TEST(simplified, the_operands_of_an_or_of_one_field_are_one_list) {
  // The $or becomes one list.
  expect_simplified(
      {{R"({"$or": [{"x": 1}, {"x": 2}], "a": {"$not": {"$ne": 5}}})", everywhere},
       {R"({"$or": [{"x": 1}, {"x": 1}], "a": {"$not": {"$ne": 5}}})", everywhere}});
}

TEST(simplified, nothing_is_with_a_schema_or_below_an_elem_match) {
  expect_simplified(
      {{R"({"$jsonSchema": {}, "$nor": [{"a": {"$ne": 5}}, {"y": 1}]})", everywhere},
       {R"({"x": 1, "y": {"$elemMatch": {"z": 1}}, "$nor": [{"a": {"$ne": 5}}, {"y": 1}]})",
        "single_shard 1"}});
  const auto entries = catalog_of(R"({"a.b": 1})", R"([{"a.b": 0}, {"a.b": 10}])", "8.0");
  const judged below{entries, R"({"find": "c", "filter": {"x": 1, "$nor": [{"y": 1}, {"z": 1}],
      "a": {"$elemMatch": {"c": 1, "$nor": [{"b": {"$ne": 5}}, {"d": 1}]}}}})"};
  EXPECT_EQ(below.where(), "scatter_gather 0,1,2");
}

/// From 64 different predicates on mongos gives up.
TEST(simplified, nothing_is_with_too_many_predicates) {
  const auto filter = [](int predicates) {
    std::string made = R"({"$nor": [{"a": {"$ne": 5}}, {"y": 1}])";
    for (int i = 2; i < predicates; ++i) made += ", \"x" + std::to_string(i) + "\": 1";
    return made + "}";
  };
  EXPECT_EQ(where(filter(63), "8.0"), "single_shard 1");
  EXPECT_EQ(where(filter(64), "8.0"), everywhere);
}

/// A comparison next to its denial: mongos sees that nothing matches. In 8.0 its plan has no
/// bounds (shard_key_pattern_query_util.cpp, collapseQuerySolution: SERVER-84547); later the
/// first chunk's owner is asked (db/global_catalog/shard_key_pattern_query_util.cpp, 01e0c87).
TEST(simplified, a_contradiction_is_asked_of_all_and_later_of_the_first_owner) {
  for (const std::string_view filter :
       {R"({"a": {"$eq": 15, "$ne": 15}})", R"({"a": 15, "x": {"$eq": 1, "$ne": 1}})",
        R"({"a": 15, "$nor": [{"a": 15}]})", R"({"a": 15, "x": 1, "$nor": [{"x": 1}]})",
        R"({"a": 15, "x": {"$in": [1, 2], "$nin": [1, 2]}})",
        R"({"a": 15, "x": {"$in": [1, 2], "$nin": [2, 1, 2]}})",
        R"({"a": 15, "x": {"$eq": 1, "$ne": {"$numberDouble": "1.0"}}})",
        R"({"a": 15, "x": {"$eq": 1, "$nin": [1]}})",
        R"({"a": 15, "$and": [{"x": {"$exists": true}}, {"x": {"$exists": false}}]})",
        R"({"a": {"$in": []}})", R"({"a": 15, "x": {"$in": []}})", R"({"$alwaysFalse": 1})",
        R"({"a": 15, "x": {"$all": []}})", R"({"a": 15, "$or": [{"x": {"$in": []}}]})"}) {
    EXPECT_EQ(where(filter, "8.0"), everywhere) << filter;
    EXPECT_EQ(where(filter, "8.1"), everywhere) << filter;
    EXPECT_EQ(where(filter, "8.2"), "single_shard 0") << filter;
  }
  // mongo: matcher/expression_leaf.cpp, InMatchExpression::equivalent, compares types, too.
  expect_simplified(
      {{R"({"a": 15, "x": {"$in": [1, 2], "$nin": [2, {"$numberDouble": "1.0"}]}})",
        everywhere}});
}

// mongo: query/canonical_query.cpp, initCq.
TEST(simplified, what_a_lookup_joins_may_not_be) {
  const auto entries = catalog_of(R"({"version": "8.2", "collections": [
      {"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 0}, {"a": 10}]}, {"ns": "db.l"}]})");
  const auto joined = [&](const std::string& filter) {
    return judged(entries, R"({"aggregate": "l", "cursor": {}, "pipeline": [{"$lookup": {
        "from": "c", "as": "z", "pipeline": [{"$match": )" +
                               filter + "}]}}]}")
        .where();
  };
  EXPECT_EQ(joined(R"({"a": 5})"), "single_shard 1");
  EXPECT_EQ(joined(R"({"x": 1, "$nor": [{"a": {"$ne": 5}}, {"y": 1}]})"),
            "scatter_gather 0,1,2");
  EXPECT_EQ(joined(R"({"a": 5, "x": {"$eq": 1, "$ne": 1}})"), "scatter_gather 0,1,2");
}

TEST(simplified, other_denials_next_to_a_key_leave_it_alone) {
  expect_simplified(
      {{R"({"a": 15, "x": {"$ne": 1}})", "single_shard 2"},
       {R"({"a": 15, "x": {"$gte": 1, "$ne": 5}})", "single_shard 2"},
       {R"({"a": 15, "x": {"$in": [1, 2, 3], "$nin": [4]}})", "single_shard 2"},
       {R"({"a": 15, "x": {"$eq": 1, "$ne": 2}})", "single_shard 2"},
       {R"({"a": 15, "x": {"$eq": 1, "$ne": "1"}})", "single_shard 2"},
       {R"({"a": 15, "x": {"$in": [1], "$nin": [2]}})", "single_shard 2"},
       {R"({"a": 15, "x": {"$eq": {"y": 1}, "$ne": {"y": 2}}})", "single_shard 2"},
       {R"({"a": 15, "x": {"$bitsAllSet": 1}, "$nor": [{"x": {"$bitsAnySet": 2}}]})",
        "single_shard 2"},
       {R"({"a": 15, "x": {"$in": [1, 2], "$nin": [3, 4]}})", "single_shard 2"},
       {R"({"a": 15, "x": {"$size": 1}, "$nor": [{"x": {"$size": 2}}]})", "single_shard 2"},
       {R"({"a": 15, "$or": [{"x": {"$mod": [3, 1]}}, {"x": {"$mod": [3, 2]}}]})",
        "single_shard 2"},
       {R"({"a": 15, "$or": [{"x": {"$ne": 1}}, {"y": {"$exists": false}}]})",
        "single_shard 2"}});
}

TEST(simplified, a_branch_that_nothing_matches_is_left_out) {
  expect_simplified({{R"({"$or": [{"a": {"$in": []}}, {"a": 15}]})", "single_shard 2"},
                     {R"({"$or": [{"x": {"$in": []}}, {"a": 15}]})", "single_shard 2"}});
}

/// mongo: matcher/expression_expr.cpp, ExprMatchExpression::isTriviallyTrue, isTriviallyFalse.
TEST(simplified, an_expression_that_is_never_true_is_seen) {
  constexpr filter_row never[] = {
      {R"({"a": 15, "$expr": false})", everywhere},
      {R"({"a": 15, "$expr": {"$eq": [1, 2]}})", everywhere},
      {R"({"a": 15, "$expr": {"$and": [{"$gt": ["$x", 1]}, {"$gt": [1, 2]}]}})", everywhere},
      {R"({"a": 15, "$nor": [{"$expr": true}]})", everywhere},
      {R"({"a": 15, "$nor": [{"$expr": {"$ne": [1, 2]}}, {"x": 1}]})", everywhere},
      {R"({"a": 15, "$expr": {}, "$nor": [{"a": 15}]})", everywhere},
      {R"({"a": 15, "$expr": {"$gt": ["$x", 1]}, "$nor": [{"a": 15}]})", everywhere},
      {R"({"a": 15, "x": 1, "$expr": {}, "$or": [{"x": {"$ne": 1}}]})", everywhere},
  };
  for (const filter_row& each : never) {
    EXPECT_EQ(where(each.filter, "8.0"), everywhere) << each.filter;
    EXPECT_EQ(where(each.filter, "8.1"), everywhere) << each.filter;
    EXPECT_EQ(where(each.filter, "8.2"), "single_shard 0") << each.filter;
  }
  // Before 8.0 it is a predicate that bounds nothing.
  EXPECT_EQ(where(never[0].filter, "7.0.12"), "single_shard 2");
}

TEST(simplified, an_expression_that_may_be_never_true_is_taken_for_it) {
  expect_simplified(
      {{R"({"a": 15, "$expr": {"$setIsSubset": [[1], [2]]}})", everywhere},
       {R"({"a": 15, "$expr": {"$and": [{"$gt": ["$x", 1]}, {"$anyElementTrue": [[0]]}]}})",
        everywhere}});
}

TEST(simplified, an_expression_that_may_be_true_bounds_nothing) {
  expect_simplified(
      {{R"({"a": 15, "$expr": true})", "single_shard 2"},
       {R"({"a": 15, "$expr": {}})", "single_shard 2"},
       {R"({"a": 15, "$expr": {"$ne": [1, 2]}})", "single_shard 2"},
       {R"({"a": 15, "$expr": {"$gt": ["$x", 1]}})", "single_shard 2"},
       {R"({"a": 15, "$expr": {"$lt": [{"$rand": {}}, 0.5]}})", "single_shard 2"},
       {R"({"a": 15, "$expr": {"$or": [{"$gt": ["$x", 1]}, false]}})", "single_shard 2"},
       {R"({"a": 15, "$expr": {"$eq": ["$$NOW", "$x"]}})", "single_shard 2"}});
}

/// mongo: compiler/rewrites/matcher/expression_optimizer.cpp at 1c287af,
/// elemMatchObjectOptimizer and elemMatchValueOptimizer; matcher/expression_array.cpp at
/// 0145e23, of 7.0, only optimizes the parts. Between them it isn't certain.
TEST(simplified, an_elem_match_with_a_part_that_is_never_true_is_seen) {
  constexpr std::string_view never[] = {
      R"({"a": 15, "x": {"$elemMatch": {"$in": []}}})",
      R"({"a": 15, "x": {"$elemMatch": {"y": {"$all": []}}}})",
      R"({"a": 15, "x": {"$all": [{"$elemMatch": {"$in": []}}]}})",
      R"({"a": {"$gt": 15}, "x": {"$elemMatch": {"$gt": 1, "$in": []}}})",
      R"({"a": {"$elemMatch": {"$in": []}}})",
      R"({"a": 15, "x": {"$elemMatch": {"y": {"$elemMatch": {"$in": []}}}}})",
      R"({"a": 15, "x": {"$elemMatch": {"y": 1, "$alwaysFalse": 1}}})",
  };
  for (const std::string_view filter : never) {
    expect_simplified({{filter, everywhere}}, {"8.0", "8.1"});
    expect_simplified({{filter, "single_shard 0"}}, {"8.2", "9.0"});
  }
  expect_simplified({{never[0], "single_shard 2"}}, {"7.0.12"});
  // What an $or or a $nor is without it.
  constexpr std::string_view branch =
      R"({"$or": [{"a": 5}, {"a": 25, "x": {"$elemMatch": {"$in": []}}}]})";
  expect_simplified({{branch, everywhere}}, {"8.0", "8.1"});
  expect_simplified({{branch, "single_shard 1"}}, {"8.2", "9.0"});
  // 8.0 doesn't read {$nor: [{}]} as a constant.
  constexpr std::string_view denial = R"({"a": 15, "x": {"$elemMatch": {"$nor": [{}]}}})";
  expect_simplified({{denial, "single_shard 2"}}, {"8.0"});
  expect_simplified({{denial, everywhere}}, {"8.1"});
  expect_simplified({{denial, "single_shard 0"}}, {"8.2", "9.0"});
  constexpr std::string_view beside =
      R"({"a": 15, "$or": [{"a": 25}, {"x": {"$elemMatch": {"$in": []}}}]})";
  expect_simplified({{beside, everywhere}}, {"8.0", "8.1"});
  expect_simplified({{beside, "single_shard 0"}}, {"8.2", "9.0"});
  expect_simplified(
      {{R"({"x": 1, "$nor": [{"a": {"$ne": 5}}, {"y": {"$elemMatch": {"$in": []}}}]})",
        everywhere}});
}

/// mongo: query/compiler/parsers/matcher/expression_parser.cpp at d0e2116, parseSampleRate: an
/// $expr, of false or true at the ends. 8.2 reads it as that constant (expression_optimizer.cpp
/// at 1c287af, exprOptimizer); 8.0 and 8.1 may, or may count it as a predicate.
TEST(simplified, a_sample_of_nothing_is_never_true) {
  constexpr std::string_view none = R"({"a": 15, "$sampleRate": 0})";
  expect_simplified({{none, "single_shard 2"}}, {"7.0.12"});
  expect_simplified({{none, everywhere}}, {"8.0", "8.1"});
  expect_simplified({{none, "single_shard 0"}}, {"8.2", "9.0"});
  expect_simplified({{R"({"$or": [{"a": 15}, {"$sampleRate": 0}]})", "single_shard 2"},
                     {R"({"a": 15, "$nor": [{"$sampleRate": 1}]})", "single_shard 0"}},
                    {"8.2", "9.0"});
  expect_simplified({{R"({"a": 15, "$nor": [{"$sampleRate": 1}]})", everywhere}},
                    {"8.0", "8.1"});
  // Only the simplified form shows the contradiction.
  constexpr std::string_view in_size = R"({"$and": [{"a": 15}, {"a": 25, "$nor": [{"x": 8},
      {"$nor": [{"y": 8}, {"a": 5}]}, {"$sampleRate": 1, "y": {}}]}]})";
  expect_simplified({{in_size, everywhere}}, {"8.0", "8.1"});
  expect_simplified({{in_size, "single_shard 0"}}, {"8.2", "9.0"});
  expect_simplified({{R"({"a": 15, "$sampleRate": 1})", "single_shard 2"},
                     {R"({"a": 15, "$sampleRate": 0.5})", "single_shard 2"}});
  // The rate may be of any numeric type.
  for (const std::string_view zero : {R"({"$numberDecimal": "0.0"})", R"({"$numberLong": "0"})",
                                      R"({"$numberDecimal": "1E-400"})", "-0.0"}) {
    const std::string filter = R"({"a": 15, "$sampleRate": )" + std::string{zero} + "}";
    expect_simplified({{filter, "single_shard 0"}}, {"8.2", "9.0"});
  }
  for (const std::string_view one : {R"({"$numberDecimal": "1"})", R"({"$numberLong": "1"})",
                                     R"({"$numberDecimal": "10E-1"})", "1.0"}) {
    const std::string filter =
        R"({"a": 15, "$nor": [{"$sampleRate": )" + std::string{one} + "}]}";
    expect_simplified({{filter, "single_shard 0"}}, {"8.2", "9.0"});
  }
  for (const std::string_view rate :
       {"2", "-1", R"("1")", "1.5", "-0.5", R"({"$numberDecimal": "1.1"})",
        R"({"$numberDecimal": "NaN"})", R"({"$numberDouble": "NaN"})"}) {
    const std::string find =
        R"({"find": "c", "filter": {"$sampleRate": )" + std::string{rate} + "}}";
    const judged found{catalog_of(R"({"a": 1})", splits_of_a, "8.0"), find};
    EXPECT_EQ(label(found.verdict().refused), "BadValue") << rate;
  }
}

/// mongo: matcher/schema/json_schema_parser.cpp at 69d4f8f, the end of _parse.
TEST(simplified, a_schema_of_what_is_no_document_is_never_true) {
  for (const std::string_view schema :
       {R"({"bsonType": "string"})", R"({"type": ["array", "null"], "title": "x"})",
        R"({"allOf": [{"required": ["x"]}, {"type": "array"}]})"}) {
    const std::string filter = R"({"a": 15, "$jsonSchema": )" + std::string{schema} + "}";
    expect_simplified({{filter, everywhere}}, {"6.0.12", "7.0.12", "8.0", "8.1"});
    expect_simplified({{filter, "single_shard 0"}}, {"8.2", "9.0"});
  }
  expect_simplified(
      {{R"({"a": 15, "$jsonSchema": {"bsonType": ["string", "object"]}})", "single_shard 2"},
       {R"({"a": 15, "$jsonSchema": {"not": {"required": ["x"]}}})", "single_shard 2"},
       {R"({"a": 15, "$nor": [{"$jsonSchema": {"required": ["x"]}}]})", "single_shard 2"},
       {R"({"a": 15, "$jsonSchema": {"anyOf": [{"required": ["x"]}]}})", "single_shard 2"}});
  // Constants that aren't evaluated get the wider answer.
  constexpr std::string_view denied = R"({"a": 15, "$nor": [{"$jsonSchema": {}}]})";
  for (const std::string_view filter :
       {std::string_view{R"({"a": 15, "$jsonSchema": {"not": {}}})"},
        std::string_view{R"({"a": 15, "$jsonSchema": {"oneOf": [{"type": "string"}]}})"},
        denied}) {
    expect_simplified({{filter, everywhere}});
  }
  expect_simplified({{denied, "single_shard 2"}}, {"7.0.12"});
}

/// mongo: matcher/expression_algo.cpp, splitMatchExpressionBy: it stays, once it is seen.
TEST(simplified, what_is_never_true_may_stay_behind_a_stage) {
  const auto piped = [](std::string_view stages, std::string_view version) {
    const std::string command =
        R"({"aggregate": "c", "cursor": {}, "pipeline": [)" + std::string{stages} + "]}";
    return judged{catalog_of(R"({"a": 1})", splits_of_a, version), command}.where();
  };
  for (const std::string_view version : {"8.0", "8.2"}) {
    EXPECT_EQ(piped(R"({"$unset": "x"}, {"$match": {"a": {"$in": []}}})", version), everywhere);
    EXPECT_EQ(
        piped(R"({"$match": {"a": 15}}, {"$unset": "x"}, {"$match": {"$nor": [{}]}})", version),
        everywhere);
    EXPECT_EQ(
        piped(R"({"$match": {"a": 15}}, {"$limit": 1}, {"$match": {"$nor": [{}]}})", version),
        "single_shard 2");
  }
}

/// mongo: write_ops/write_without_shard_key_util.cpp, isExactIdQuery, asks what is planned.
TEST(simplified, what_is_never_true_has_no_exact_id) {
  const std::string_view replacing =
      R"({"update": "c", "updates": [{"q": {"_id": 1, "$nor": [{}]}, "u": {"a": 15}}]})";
  EXPECT_EQ(judged(catalog_of(R"({"a": 1})", splits_of_a, "8.0"), replacing).where(),
            everywhere);
}

/// mongo: update/path_support.cpp, extractFullEqualityMatches, reads what is planned: of an $or
/// one branch may be left, and a list of one value is an equality.
TEST(simplified, an_equality_may_meet_another_one_that_mongos_makes) {
  expect_simplified(
      {{R"({"a": 15, "$or": [{"a": 25}, {"a": {"$in": []}}]})", "single_shard 0"},
       {R"({"a": 15, "$or": [{"a": 25}, {"$nor": [{}]}]})", "single_shard 0"},
       {R"({"a": {"$gt": 10}, "$or": [{"a": "x"}, {"x": {"$in": []}}]})", "single_shard 3"},
       {R"({"a": 15, "$or": [{"a": 25, "x": 1}, {"a": 25}]})", "single_shard 0"},
       {R"({"a": 15, "$or": [{"$and": [{"a": 25}]}, {"a": 25}]})", "single_shard 0"},
       {R"({"a": 15, "$or": [{"a": 15}, {"$nor": [{}]}]})", "single_shard 2"},
       {R"({"a": 15, "$or": [{"a": 25}, {"a": 26}]})", "single_shard 2"},
       {R"({"a": 15, "$or": [{"a": 25}, {"x": 1}]})", "single_shard 2"},
       {R"({"a": 15, "$or": [{"x": 1}, {"$nor": [{}]}]})", "single_shard 2"}});
  expect_simplified({{R"({"a": 15, "$expr": {"$in": ["$a", [25]]}})", "single_shard 0"},
                     {R"({"a": 15, "$expr": {"$in": ["$a", [15]]}})", "single_shard 2"},
                     {R"({"a": 15, "$expr": {"$in": ["$a", [25, 26]]}})", "single_shard 2"}},
                    {"8.1", "8.2", "9.0"});
}

/// mongo: expression_bitset_tree_converter.cpp at 1c287af: a branch that contradicts itself is
/// no term, and what is left may contradict what stands next to it.
TEST(simplified, without_a_branch_what_is_left_may_contradict_itself) {
  expect_simplified(
      {{R"({"a": 15, "x": {"$not": {"$gt": 2}}, "$or": [{"a": 25}, {"x": {"$gt": 2}}]})",
        "single_shard 0"},
       {R"({"a": 15, "x": {"$not": {"$gt": 2}}, "$or": [{"a": 15}, {"x": {"$gt": 2}}]})",
        "single_shard 2"}});
}

/// mongo: update/path_support.cpp, extractFullEqualityMatches, reads the simplified filter,
/// where two equalities of one path leave no key. Here mongos merges them, so {a: 5} is the
/// shard key.
TEST(simplified, an_equality_that_is_repeated_is_merged_beside_an_expression) {
  constexpr auto contradicts =
      R"({"a": 5, "$and": [{"a": 5}, {"a": {"$ne": 7}}], "$expr": {"$gt": ["$a", 15]}})";
  constexpr auto agrees =
      R"({"a": 5, "$and": [{"a": 5}, {"a": {"$ne": 7}}], "$expr": {"$gt": ["$a", 2]}})";
  expect_simplified({{contradicts, "single_shard 1"}, {agrees, "single_shard 1"}});
}

TEST(simplified, an_equality_that_is_denied_twice_contradicts_another) {
  expect_simplified(
      {{R"({"a": 15, "$nor": [{"a": {"$ne": 25}}, {"x": 1}, {"y": 1}]})", "single_shard 0"},
       {R"({"a": {"$gt": 15}, "$nor": [{"a": {"$ne": 5}}, {"x": 1}, {"y": 1}]})",
        "single_shard 1"}});
}

/// mongo: rewrite_expr.cpp at 0785196, _rewriteInExpression: a list of one value becomes an
/// equality, which the denial next to it contradicts once the filter is simplified.
TEST(simplified, an_expressions_list_of_one_value_may_be_denied_next_to_it) {
  for (const std::string_view filter :
       {R"({"$expr": {"$in": ["$a", [25, 25]]}, "a": {"$ne": 25}})",
        R"({"$expr": {"$in": ["$a", [25]]}, "a": {"$ne": 25}})",
        R"({"$expr": {"$in": ["$a", [25, 25]]}, "$nor": [{"a": 25}, {"e": {}}]})"}) {
    expect_simplified({{filter, everywhere}}, {"8.1"});
    expect_simplified({{filter, "single_shard 0"}}, {"8.2", "9.0"});
  }
}

/// mongo: the same, where simplified; mongos simplifies an upsert's filter, too: to two
/// equalities.
TEST(simplified, an_equality_that_may_be_denied_twice_may_contradict_another) {
  expect_simplified({{R"({"a": 15, "$expr": {"$in": ["$a", [5, 25]]},
               "$nor": [{"a": {"$ne": 25}}, {"x": 1}]})",
                      "single_shard 0"}},
                    {"8.1", "8.2", "9.0"});
  constexpr auto upsert =
      R"({"update": "c", "updates": [{"upsert": true, "u": {"$set": {"z": 1}},
      "q": {"a": 15, "$nor": [{"$nor": [{"a": 25}]}, {"a": 5}]}}]})";
  // With another _id the replacement doesn't target.
  constexpr auto replacing = R"({"update": "c", "updates": [{"u": {"a": 25},
      "q": {"_id": 1, "$or": [{"$nor": [{}]}, {"_id": "x"}]}}]})";
  const auto entries = catalog_of(R"({"a": 1})", splits_of_a, "8.0");
  EXPECT_EQ((judged{entries, upsert}.where()), "single_shard 0");
  EXPECT_EQ((judged{entries, replacing}.where()), everywhere);
}

/// mongo: boolean_simplification/quine_mccluskey.cpp and petrick.cpp.
TEST(simplified, terms_that_differ_in_one_sign_are_merged) {
  expect_simplified(
      {{R"({"$or": [{"a": 5, "b": 2}, {"a": 5, "b": {"$ne": 2}}]})", "single_shard 1"},
       {R"({"$or": [{"a": 5, "b": 2}, {"a": 5, "b": {"$ne": 2}}, {"a": 15}]})",
        "multi_shard 1,2"}});
}

/// mongo: matcher/expression_tree.cpp, ListOfMatchExpression: an $or of no branches is false.
TEST(simplified, an_or_without_branches_is_never_true) {
  constexpr auto none =
      R"({"a": {"$gt": 10}, "$or": [{"x": {"$in": []}}, {"a": {"$in": []}}]})";
  expect_simplified({{none, everywhere}}, {"8.0", "8.1"});
  expect_simplified({{none, "single_shard 0"}}, {"8.2", "9.0"});
}

/// mongo: matcher/expression_tree.cpp at db49cf0, ListOfMatchExpression::getOptimizer; before,
/// as recorded of 8.0, it replaces only a $nor of several conditions by a constant (at
/// 20d4968).
TEST(simplified, the_denial_of_everything_goes_as_a_branch_from_8_1_on) {
  constexpr auto kept = R"({"$or": [{"a": 15, "$or": [{"a": []}, {"x": 1}]}, {"$nor": [{}]}]})";
  expect_simplified({{kept, everywhere}}, {"8.0"});
  expect_simplified({{kept, "single_shard 2"}}, {"8.1", "8.2", "9.0"});
  expect_simplified({{R"({"$or": [{"a": 15}, {"$nor": [{}]}]})", "single_shard 2"}});
  constexpr auto beside = R"({"a": 15, "$or": [{}, {"$nor": [{}]}]})";
  expect_simplified({{beside, "single_shard 2"}}, {"8.0", "8.1", "8.2", "9.0"});
}

/// The inner $nor stays, and counts in the size, so that the filter is simplified, to two
/// equalities (mongo: the same).
TEST(simplified, the_denial_of_everything_counts_in_the_size_in_8_0) {
  constexpr auto twice = R"({"a": 15, "$nor": [{"$nor": [{}]}, {"a": {"$ne": 25}}]})";
  expect_simplified({{twice, "single_shard 0"}}, {"8.0"});
  expect_simplified({{twice, "single_shard 2"}}, {"8.1", "8.2", "9.0"});
  const auto by_hash = [](std::string_view version) {
    return judged{
        catalog_of(R"({"_id": "hashed", "a": 1})", R"([{"_id": 0, "a": 0}])", version),
        R"({"update": "c", "updates": [{"u": {"a": 25}, "q": {"_id": "abc",
                      "$nor": [{"$nor": [{}]}, {"_id": {"$ne": {"$minKey": 1}}}]}}]})"}
        .where();
  };
  EXPECT_EQ(by_hash("8.0"), "single_shard 0");
  EXPECT_EQ(by_hash("8.2"), "single_shard 1");
}

/// mongo: matcher/expression_simplifier.cpp at 0ef9a57, quineMcCluskey: what stands next to its
/// own negation is dropped, and no index may support the rest.
TEST(simplified, a_contradiction_next_to_what_may_be_dropped_asks_all) {
  const auto by_both = [](std::string_view filter, std::string_view version) {
    return judged{
        catalog_of(R"({"b": 1, "a": 1})", R"([{"b": 0, "a": 0}, {"b": 5, "a": 0}])", version),
        R"({"find": "c", "filter": )" + std::string{filter} + "}"}
        .where();
  };
  for (const std::string_view version : {"8.0", "8.1", "8.2", "9.0"}) {
    EXPECT_EQ(by_both(R"({"$and": [{"a": 6}, {"a": {},
                          "$or": [{"b": null}, {"$nor": [{"b": null}]}]}]})",
                      version),
              "scatter_gather 0,1,2")
        << version;
    EXPECT_EQ(by_both(R"({"$and": [{"a": 6}, {"a": {}, "b": {"$gt": 1}}]})", version),
              "single_shard 0")
        << version;
  }
}

/// What is left of the filter pins the key, and counts before the replacement's own.
TEST(simplified, a_filter_counts_before_a_replacement) {
  constexpr auto update = R"({"update": "c", "updates": [{"u": {"a": 25},
      "q": {"_id": 1, "a": 15, "$or": [{}, {"$nor": [{}]}]}}]})";
  for (const std::string_view version : {"8.0", "8.1", "8.2"}) {
    EXPECT_EQ((judged{catalog_of(R"({"a": 1})", splits_of_a, version), update}.where()),
              "single_shard 2");
  }
}

/// mongo: query/index_bounds_builder.cpp, translateEquality, doesn't hash an array.
TEST(simplified, an_array_on_a_hashed_field_contradicts_what_stands_next_to_it) {
  const auto hashed = [](std::string_view command, std::string_view version) {
    return judged{
        catalog_of(R"({"a": "hashed"})",
                   R"([{"a": -4000000000000000000}, {"a": 4000000000000000000}])", version),
        command}
        .where();
  };
  for (const std::string_view version : {"6.0.12", "7.0.12", "8.0"}) {
    EXPECT_EQ(hashed(R"({"find": "c", "filter": {"$and": [{"a": 7}, {"a": []}]}})", version),
              "single_shard 0");
  }
  const std::string_view replacing =
      R"({"update": "c", "updates": [{"q": {"a": {"$all": [1, 2]}}, "u": {"a": 1}}]})";
  EXPECT_EQ(hashed(replacing, "7.0.12"), "single_shard 0");
  // By its bounds an array may lead to one shard, which is then asked before the replacement's.
  const std::string_view by_array =
      R"({"update": "c", "updates": [{"q": {"a": []}, "u": {"a": 1}}]})";
  EXPECT_EQ(hashed(by_array, "6.0.12"), "single_shard 2");
  const std::string_view modifying =
      R"({"update": "c", "updates": [{"q": {"a": [1]}, "u": {"$set": {"x": 1}}}]})";
  EXPECT_EQ(hashed(modifying, "6.0.12"), "multi_shard 1,2");
  // Behind a field that nothing bounds it leads nowhere.
  const judged behind{catalog_of(R"({"b": 1, "a": "hashed"})", R"([{"b": 0}])", "6.0.12"),
                      modifying};
  EXPECT_EQ(label(behind.verdict().refused), "InvalidOptions");
}

/// mongo: db/global_catalog/router_role_api/collection_routing_info_targeter.cpp at
/// 1a192c3e2046, _targetQueryForMultiUpsert, extracts the key from the simplified filter
/// (matcher/expression_simplifier.cpp; expression_optimizer.cpp at 1c287af, listOfOptimizer).
TEST(simplified, an_upsert_of_many_is_refused_only_if_no_form_of_its_filter_has_the_key) {
  const auto refusal_of = [](std::string_view filter, std::string_view version) {
    const std::string command =
        R"({"update": "c", "updates": [{"u": {"$set": {"z": 1}}, "multi": true, "upsert": true,
            "q": )" +
        std::string{filter} + "}]}";
    const judged found{catalog_of(R"({"a": 1})", splits_of_a, version), command};
    return label(found.verdict().refused);
  };
  for (const std::string_view version : {"8.0.4", "8.2.0", "9.0.0"}) {
    for (const std::string_view filter :
         {R"({"$or": [{"a": 5}, {"a": {"$in": []}}]})", R"({"$or": [{"a": 5}, {"a": 5}]})",
          R"({"x": 1, "$nor": [{"a": {"$ne": 5}}, {"y": 1}]})",
          R"({"$or": [{"$and": [{"a": 5}]}, {"a": 5, "x": 1}]})"}) {
      EXPECT_EQ(refusal_of(filter, version), "") << filter << " " << version;
    }
    for (const std::string_view filter :
         {R"({"a": {"$gt": 5}})", R"({"x": 1})", R"({"$or": [{"a": 5}, {"a": 15}]})",
          R"({"$or": [{"a": 5}, {"x": 1}]})", R"({"a": {"$ne": 5}})"}) {
      EXPECT_EQ(refusal_of(filter, version), "ShardKeyNotFound") << filter << " " << version;
    }
  }
}

/// mongo: matcher/expression_leaf.cpp, InMatchExpression: equal members count once, regardless
/// of their types.
TEST(simplified, a_list_of_one_number_in_two_types_is_an_equality) {
  const std::string_view list =
      R"({"findAndModify": "c", "remove": true,
          "query": {"a": {"$in": [{"$numberDecimal": "5"}, 5, {"$numberDouble": "5"}]}}})";
  const judged found{catalog_of(R"({"a": 1})", splits_of_a, "4.4"), list};
  EXPECT_EQ(found.where(), "single_shard 1");
  EXPECT_EQ(label(found.verdict().refused), "");
  const std::string_view several =
      R"({"findAndModify": "c", "remove": true,
          "query": {"a": {"$in": [{"$numberDecimal": "5"}, 5, {"$numberDouble": "5.5"}]}}})";
  const judged refused{catalog_of(R"({"a": 1})", splits_of_a, "4.4"), several};
  EXPECT_EQ(label(refused.verdict().refused), "ShardKeyNotFound");
}

}  // namespace
}  // namespace scattergate::routing_tests
