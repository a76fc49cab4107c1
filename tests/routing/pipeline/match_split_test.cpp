#include "tests/routing/pipeline/pipeline_support.hpp"

/// The parts of a $match that move (mongo: matcher/expression_algo.cpp, splitMatchExpressionBy,
/// isIndependentOf, which a 4.4.0 mongos answers by).
namespace scattergate::routing_tests {
namespace {

TEST(match_split, each_operator_of_a_field_moves_by_itself) {
  expect_by_p(
      {
          {R"([{"$sort": {"x": 1}}, {"$match": {"p": {"$gte": 12, "$lt": 15, "$size": 1}}}])",
           one_shard},
          {R"([{"$unset": "x"}, {"$match": {"p": {"$elemMatch": {"$gt": 1}, "$eq": 15}}}])",
           one_shard},
          {R"([{"$addFields": {"y": "$p"}}, {"$match": {"y": {"$size": 1, "$in": [15, 16]}}}])",
           one_shard},
      },
      "4.4");
}

TEST(match_split, the_members_of_a_nor_move_each_by_itself) {
  expect_by_p(
      {
          {R"([{"$unwind": "$x"}, {"$match": {"$nor": [{"p": {"$lt": 25}},
               {"x": 1}]}}])",
           "multi_shard 0,2"},
          // Two moved parts still make one $nor, which no index supports before 8.0.
          {R"([{"$unwind": "$x"}, {"$match": {"$nor": [{"p": {"$lt": 25}}, {"x": 1},
               {"p": {"$type": "string"}}]}}])",
           all_shards},
          {R"([{"$addFields": {"y": "$p", "x": 1}}, {"$match": {"$nor": [{"y": {"$lt": 25}},
               {"x": 1, "y": {"$gt": 1}}]}}])",
           "multi_shard 0,2"},
          {R"([{"$unwind": "$x"}, {"$match": {"$nor": [{"p": {"$lt": 25}, "x": 1}]}}])",
           all_shards},
      },
      "4.4");
}

/// mongo: matcher/expression_parser.cpp, parseSampleRate: an $expr that reads no field, which
/// moves, too, so that the $nor has several members.
TEST(match_split, a_nor_with_a_sample_bounds_nothing) {
  for (const char* version : {"6.0.12", "7.0.12", "8.0.4", "8.2.0"}) {
    expect_by_p({{R"([{"$unwind": "$x"}, {"$match": {"$nor": [{"p": {"$lt": 25}},
                      {"$sampleRate": 1}]}}])",
                  all_shards},
                 {R"([{"$unwind": "$x"}, {"$match": {"$nor": [{"p": {"$lt": 25}},
                      {"$or": [{"x": 1}, {"$sampleRate": 0.5}]}]}}])",
                  all_shards}},
                version);
  }
}

/// mongo: matcher/expression_algo.cpp at 131c84d, isIndependentOf: a constant $expr, as which
/// parseSampleRate reads the ends, moves; one that needs a random number doesn't.
TEST(match_split, a_constant_sample_moves_before_8_0) {
  for (const char* version : {"5.0.0", "6.0.12", "7.0.12"}) {
    expect_by_p({{R"([{"$unwind": "$x"}, {"$match": {"$or": [{"p": 15, "$sampleRate": 0}]}}])",
                  one_shard},
                 {R"([{"$unwind": "$x"},
                      {"$match": {"$or": [{"p": 15, "$sampleRate": {"$numberDecimal": "0"}}]}}])",
                  one_shard},
                 {R"([{"$redact": "$$KEEP"}, {"$project": {"x": 0}},
                      {"$match": {"p": 15, "$sampleRate": 1}}])",
                  one_shard},
                 {R"([{"$redact": "$$KEEP"}, {"$project": {"x": 0}},
                      {"$match": {"p": 15, "$sampleRate": {"$numberDecimal": "1"}}}])",
                  one_shard},
                 {R"([{"$unwind": "$x"},
                      {"$match": {"$or": [{"p": 15, "$sampleRate": 0.5}]}}])",
                  all_shards}},
                version);
  }
}

TEST(match_split, an_or_moves_whole) {
  expect_by_p(
      {
          {R"([{"$unwind": "$x"}, {"$match": {"$or": [{"p": 15}, {"p": 16, "a": 1}]}}])",
           one_shard},
          {R"([{"$unwind": "$x"}, {"$match": {"$or": [{"p": 15}, {"p": 16, "x": 1}]}}])",
           all_shards},
          {R"([{"$addFields": {"y": "$p"}},
               {"$match": {"$or": [{"y": 15}, {"$and": [{"y": 16}, {"z": 1}]}]}}])",
           one_shard},
      },
      "4.4");
}

TEST(match_split, in_4_4_arrays_and_expressions_stay_even_behind_a_sort) {
  const auto behind_sort = [](std::string_view match) {
    return R"([{"$sort": {"x": 1}}, {"$match": )" + std::string{match} + "}]";
  };
  const std::string array = behind_sort(R"({"p": {"$all": [{"$elemMatch": {"$eq": 15}}]}})");
  const std::string expression = behind_sort(R"({"$expr": {"$eq": ["$p", 15]}})");
  const std::string either =
      behind_sort(R"({"$or": [{"p": 15}, {"p": 16, "a": {"$size": 1}}]})");
  const std::string denied =
      behind_sort(R"({"p": {"$not": {"$elemMatch": {"$gt": 1}}, "$eq": 15}})");
  expect_by_p({{expression, all_shards},
               {either, all_shards},
               {denied, one_shard},
               {array, all_shards}},
              "4.4");
  expect_by_p({{expression, one_shard}, {either, all_shards}}, "5.0");
  expect_by_p({{expression, one_shard}, {either, one_shard}}, "8.0");
}

TEST(match_split, an_expression_is_renamed_too) {
  expect_by_p({
      {R"([{"$addFields": {"y": "$p"}}, {"$match": {"$expr": {"$eq": ["$y", 15]}}}])",
       one_shard},
      {R"([{"$addFields": {"y": "$p"}}, {"$match": {"$expr": {"$and": [
           {"$gte": ["$$CURRENT.y", 12]}, {"$lt": ["$y", {"$literal": 15}]},
           {"$ne": ["$z", {"$literal": "$y"}]}]}}}])",
       one_shard},
      {R"([{"$addFields": {"y": {"$add": ["$p", 1]}}},
           {"$match": {"$expr": {"$eq": ["$y", 15]}}}])",
       all_shards},
  });
}

TEST(match_split, what_may_match_nothing_stays_behind_who_writes_next_to_it) {
  const auto where = [](std::string_view match, std::string_view version) {
    const auto entries = catalog_of(R"({"a.p": 1})", R"([{"a.p": 10}, {"a.p": 20}])", version);
    return judged(entries, R"({"aggregate": "c", "pipeline": [{"$addFields": {"a.x": 1}},
        {"$match": )" + std::string{match} +
                               "}]}")
        .where();
  };
  EXPECT_EQ(where(R"({"a.p": 15})", "8.0"), one_shard);
  EXPECT_EQ(where(R"({"a.p": {"$in": [15, null]}})", "8.0"), all_shards);
  EXPECT_EQ(where(R"({"a.p": null})", "8.0"), all_shards);
  EXPECT_EQ(where(R"({"a.p": null})", "4.4"), "single_shard 0");
}

TEST(match_split, without_room_what_would_be_rewritten_stays) {
  const auto entries = catalog_of(R"({"p": 1})", R"([{"p": 10}, {"p": 20}])", "4.4");
  const std::string command = R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$addFields":
      {"y": "$p"}}, {"$match": {"$or": [{"y": 15, "a": ")" +
                              std::string(5000, 'x') + R"("}, {"y": 16}]}}]})";
  EXPECT_EQ(judged(entries, command).where(), one_shard);
  EXPECT_EQ(judged(entries, command, 4096).where(), all_shards);
}

/// mongo: exec/projection_node.cpp, reportComputedPaths; pipeline_test.cpp,
/// MatchCannotMoveAcrossAddFieldsRenameOfDottedPathOnLeft. 4.4 still renames there
/// (tests/real).
TEST(match_split, a_reference_below_the_top_level_renames_nothing) {
  for (const std::string_view stage :
       {R"({"$addFields": {"a.b": "$p"}})", R"({"$set": {"a": {"b": "$p"}}})",
        R"({"$project": {"a.b": "$p"}})", R"({"$project": {"a": {"b": "$p"}}})"}) {
    const std::string pipeline =
        "[" + std::string{stage} + R"(, {"$match": {"a.b": {"$gte": 12, "$lt": 15}}}])";
    for (const std::string_view version : {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"}) {
      expect_by_p({{pipeline, all_shards}}, version);
    }
    expect_by_p({{pipeline, one_shard}}, "4.4");
  }
}

/// mongo: matcher/expression_path.h, wouldRenameSucceed.
TEST(match_split, a_condition_on_members_does_not_move_to_a_part_of_a_key) {
  const std::string start = R"([{"$group": {"_id": {"c": "$p"}}}, {"$project": {"m": "$_id.c"}},
      {"$match": {"m": )";
  for (const std::string_view version : {"8.0.4", "8.2.0", "9.0.0"}) {
    expect_by_p(
        {{start + R"({"$elemMatch": {"$eq": 15}}}}])", all_shards},
         {start + R"({"$elemMatch": {"$eq": 15}, "$lt": 16, "$gte": 15}}}])", one_shard}},
        version);
  }
}

/// mongo: jstests/aggregation/match_swapping_renamed_fields.js.
TEST(match_split, maps_within_maps_renamed) {
  const auto entries =
      catalog_of(R"({"x.y.z": 1})", R"([{"x.y.z": 10}, {"x.y.z": 20}])", "4.4");
  const auto where = [&](std::string_view in, std::string_view match) {
    const std::string command =
        R"({"aggregate": "c", "cursor": {}, "pipeline": [
            {"$project": {"d": {"$map": {"input": "$x", "as": "i", "in": )" +
        std::string{in} + R"(}}}}, {"$match": )" + std::string{match} + "}]}";
    return judged(entries, command).where();
  };
  EXPECT_EQ(where(R"({"e": {"$map": {"input": "$$i.y", "as": "j", "in": {"f": "$$j.z"}}}})",
                  R"({"d.e.f": 15})"),
            one_shard);
  EXPECT_EQ(where(R"({"e": {"$map": {"input": "$$i.y", "in": "$$this.z"}}})", R"({"d.e": 15})"),
            one_shard);
  EXPECT_EQ(where(R"({"$map": {"input": "$$i.y", "in": "$$this.z"}})", R"({"d": 15})"),
            one_shard);
  EXPECT_EQ(where(R"({"e": "$$i.y"})", R"({"d.e.z": 15})"), one_shard);
  EXPECT_EQ(where(R"({"e": {"$map": {"input": "$$i.y", "in": "$$i.z"}}})", R"({"d.e": 15})"),
            all_shards);
  EXPECT_EQ(where(R"({"e": {"$map": {"input": "$y", "in": "$$this.z"}}})", R"({"d.e": 15})"),
            all_shards);
  EXPECT_EQ(where(R"({"e": {"$map": {"input": "$$i.y", "in": {"f": "$$this.z"}}}})",
                  R"({"d.e": 15})"),
            all_shards);
}

}  // namespace
}  // namespace scattergate::routing_tests
