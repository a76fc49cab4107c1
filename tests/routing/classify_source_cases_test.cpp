#include "tests/routing/command_rows.hpp"

/// The expected answers were generated from the daemon's output, and then checked against the
/// files of mongo's sources at the commits that each test names. A filter alone stands for a
/// find. Shards are numbered as the chunks are.
namespace scattergate::routing_tests {
namespace {

void expect_source_cases(std::initializer_list<command_row> rows,
                         std::initializer_list<std::string_view> versions, std::string_view key,
                         std::string_view splits) {
  for (const std::string_view version : versions) {
    const auto entries = catalog_of(key, splits, version);
    for (const command_row& each : rows) {
      const std::string text{each.command};
      const bool is_command = text.starts_with(R"({"update")") ||
                              text.starts_with(R"({"delete")") ||
                              text.starts_with(R"({"findAndModify")");
      const judged found{entries,
                         is_command ? text : R"({"find": "c", "filter": )" + text + "}"};
      EXPECT_EQ(found.where(), each.where) << version << " " << text;
      EXPECT_EQ(label(found.verdict().refused), each.refused) << version << " " << text;
    }
  }
}

// mongo: index_bounds_builder.cpp at 05bb7a0, _translatePredicate; other tests show which
// versions differ in null's bounds or in an empty $in.
TEST(source_cases, one_comparison_bounds_one_field) {
  expect_source_cases(
      {
          {R"({"p": null})", "single_shard 0"},
          {R"({"p": {"$exists": false}})", "single_shard 0"},
          {R"({"p": {"$mod": [2, 0]}})", "multi_shard 0,1,2"},
          {R"({"p": {"$regex": "^a"}})", "single_shard 2"},
          {R"({"p": {"$regex": "^a", "$options": "i"}})", "single_shard 2"},
          {R"({"p": {"$lt": {"$numberDouble": "NaN"}}})", "single_shard 0"},
          {R"({"p": {"$lte": {"$numberDouble": "NaN"}}})", "single_shard 0"},
          {R"({"p": {"$numberDouble": "NaN"}})", "single_shard 0"},
          {R"({"p": {"$gt": {"$maxKey": 1}}})", "single_shard 0"},
          {R"({"p": {"$lt": {"$minKey": 1}}})", "single_shard 0"},
          {R"({"p": {"$maxKey": 1}})", "single_shard 2"},
          {R"({"p": {"$gt": null}})", "single_shard 0"},
          {R"({"p": {"$gte": null}})", "single_shard 0"},
          {R"({"p": {"$lte": true}})", "single_shard 2"},
          {R"({"p": {"$gt": true}})", "single_shard 0"},
          {R"({"p": [15]})", "multi_shard 1,2"},
          {R"({"p": {"$lt": [15]}})", "multi_shard 0,1,2"},
          {R"({"p": {"$gt": [15]}})", "multi_shard 1,2"},
          {R"({"p": {"$all": [15, 16]}})", "single_shard 0"},
          {R"({"p": {"$elemMatch": {"$gte": 15, "$lt": 17}}})", "single_shard 1"},
          {R"({"p": {"$gte": "a", "$lt": "b"}})", "single_shard 2"},
          {R"({"p": {"$gte": 20}})", "single_shard 2"},
          {R"({"p": {"$lt": 10}})", "multi_shard 0,1"},
          {R"({"p": {"$gt": 5, "$lt": 5}})", "single_shard 0"},
          {R"({"p": {"$not": {"$exists": true}}})", "single_shard 0"},
          {R"({"$expr": {"$lt": ["$p", null]}})", "single_shard 0"},
          {R"({"$expr": {"$eq": ["$p", [15]]}})", "scatter_gather 0,1,2"},
      },
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"}, R"({"p": 1})",
      R"([{"p": 10}, {"p": 20}])");
}

// mongo: shard_key_pattern_query_util.cpp at 009489e and 01e0c87, flattenBounds: only the first
// field of several intervals is multiplied out; the ends of ranges count.
TEST(source_cases, fields_of_a_key_are_flattened) {
  expect_source_cases(
      {
          {R"({"a": 10})", "multi_shard 1,2"},
          {R"({"a": 10, "b": 4})", "single_shard 1"},
          {R"({"a": 10, "b": {"$lt": 5}})", "multi_shard 1,2"},
          {R"({"a": 10, "b": {"$lte": 4}})", "single_shard 1"},
          {R"({"a": 10, "b": {"$gt": 5}})", "single_shard 2"},
          {R"({"a": {"$gte": 5, "$lte": 10}, "b": 4})", "single_shard 1"},
          {R"({"a": {"$in": [5, 10]}, "b": 4})", "single_shard 1"},
          {R"({"a": {"$in": [5, 10]}, "b": {"$in": [4, 6]}})", "multi_shard 1,2"},
          {R"({"b": 4})", "scatter_gather 0,1,2,3"},
          {R"({"a": {"$lt": 0}, "b": 9})", "multi_shard 0,1"},
          {R"({"a": {"$lte": -1}})", "single_shard 0"},
          {R"({"$or": [{"a": 10, "b": 4}, {"a": 25, "b": 1}]})", "multi_shard 1,3"},
          {R"({"a": 10, "$or": [{"b": 4}, {"c": 6}]})", "multi_shard 1,2"},
          {R"({"a": 10, "b": {"$gt": 4, "$lt": 4}})", "single_shard 0"},
          {R"({"a": {"$gt": 4, "$lt": 4}, "b": 10})", "single_shard 0"},
          {R"({"a": {"$exists": true}, "b": 4})", "scatter_gather 0,1,2,3"},
          {R"({"a": {"$type": "string"}, "b": 4})", "single_shard 3"},
          {R"({"$expr": {"$and": [{"$eq": ["$a", 10]}, {"$eq": ["$b", 4]}]}})",
           "single_shard 1"},
          {R"({"a": 10, "$expr": {"$lt": ["$b", 4]}})", "single_shard 1"},
          {R"({"a": {"$eq": 10, "$in": [10, 11]}, "b": 4})", "single_shard 1"},
          {R"({"$or": [{"a": 10, "$or": [{"b": 3}, {"b": 4}]}]})", "single_shard 1"},
      },
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"}, R"({"a": 1, "b": 1})",
      R"([{"a": 0, "b": {"$minKey": 1}}, {"a": 10, "b": 5}, {"a": 20, "b": {"$minKey": 1}}])");
}

// mongo: the same, and planner_ixselect.cpp, nodeIsSupportedByHashedIndex: points bound a
// hashed field, ranges don't. The hashes of 1, of null and of NaN lie in the upper half, 3's in
// the lower.
TEST(source_cases, a_hash_is_a_point_behind_a_prefix) {
  expect_source_cases(
      {
          {R"({"a": 10})", "multi_shard 1,2"},
          {R"({"a": 10, "b": 1})", "single_shard 2"},
          {R"({"a": 10, "b": 3})", "single_shard 1"},
          {R"({"a": 10, "b": {"$in": [1, 2]}})", "single_shard 2"},
          {R"({"a": 10, "b": {"$gt": 1}})", "multi_shard 1,2"},
          {R"({"b": 1})", "scatter_gather 0,1,2,3"},
          {R"({"a": {"$gt": 10}, "b": 3})", "multi_shard 1,2,3"},
          {R"({"a": {"$in": [10, -5]}, "b": 3})", "multi_shard 0,1"},
          {R"({"a": 10, "b": null})", "single_shard 2"},
          {R"({"a": 10, "b": {"$exists": true}})", "multi_shard 1,2"},
          {R"({"a": 10, "$or": [{"b": 1}, {"b": 3}]})", "multi_shard 1,2"},
          {R"({"a": {"$gte": 10, "$lte": 10}, "b": 3})", "single_shard 1"},
          {R"({"a": 10, "$expr": {"$eq": ["$b", 3]}})", "single_shard 1"},
          {R"({"a": 10, "b": {"$numberDecimal": "3"}})", "single_shard 1"},
          {R"({"a": 10, "b": {"$numberDouble": "NaN"}})", "single_shard 2"},
          {R"({"a": 10, "b": {"$ne": 3}})", "multi_shard 1,2"},
          {R"({"a": 10, "b": {"$elemMatch": {"$eq": 3}}})", "multi_shard 1,2"},
          {R"({"a": {"$ne": 10}, "b": 3})", "scatter_gather 0,1,2,3"},
          {R"({"a": 10, "b.c": 3})", "multi_shard 1,2"},
      },
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"}, R"({"a": 1, "b": "hashed"})",
      R"([{"a": 0, "b": {"$minKey": 1}}, {"a": 10, "b": {"$numberLong": "0"}}, {"a": 20, "b": {"$minKey": 1}}])");
}

// mongo: compiler/rewrites/matcher/expression_optimizer.cpp at 1c287af, attemptToRewriteEqHash;
// the jstests of core/query/internal_hash_eq require 7.0.
TEST(source_cases, a_hash_that_is_given_is_a_point) {
  constexpr std::string_view equal =
      R"({"$expr": {"$eq": [{"$toHashedIndexKey": "$p"}, {"$numberLong": "5"}]}})";
  constexpr std::string_view key = R"({"p": "hashed"})";
  constexpr std::string_view splits = R"([{"p": {"$numberLong": "0"}}])";
  expect_source_cases(
      {{equal, "single_shard 1"},
       {R"({"$expr": {"$eq": [{"$toHashedIndexKey": "$p"}, {"$numberLong": "-5"}]}})",
        "single_shard 0"},
       {R"({"$expr": {"$eq": [{"$toHashedIndexKey": ["$p"]}, {"$numberLong": "5"}]}})",
        "single_shard 1"},
       {R"({"$expr": {"$eq": [{"$numberLong": "5"}, {"$toHashedIndexKey": "$p"}]}})",
        "scatter_gather 0,1"},
       {R"({"$expr": {"$eq": [{"$toHashedIndexKey": "$p"}, 5]}})", "scatter_gather 0,1"},
       {R"({"$expr": {"$and": [{"$eq": [{"$toHashedIndexKey": "$p"}, {"$numberLong": "5"}]},
               {"$gt": ["$x", 1]}]}})",
        "scatter_gather 0,1"},
       {R"({"p": 3, "$expr": {"$eq": [{"$toHashedIndexKey": "$p"}, {"$numberLong": "5"}]}})",
        "single_shard 0"}},
      {"7.0.12", "8.0.4", "8.2.0", "9.0.0"}, key, splits);
  expect_source_cases({{equal, "scatter_gather 0,1"}}, {"6.0.12"}, key, splits);
  expect_source_cases({{equal, "scatter_gather 0,1"}}, {"8.2.0"}, R"({"p": 1})",
                      R"([{"p": 0}])");
}

// mongo: expression_let.cpp of 8.1, ExpressionLet::optimize.
TEST(source_cases, a_let_of_constants_is_replaced_by_its_in) {
  constexpr std::string_view plain =
      R"({"$expr": {"$let": {"vars": {"x": 15}, "in": {"$eq": ["$p", "$$x"]}}}})";
  expect_source_cases(
      {{plain, "single_shard 1"},
       {R"({"$expr": {"$let": {"vars": {"x": {"$add": [10, 5]}}, "in":
               {"$and": [{"$gte": ["$p", "$$x"]}, {"$lt": ["$p", 19]}]}}}})",
        "single_shard 1"},
       {R"({"$expr": {"$let": {"vars": {"x": "$y"}, "in": {"$eq": ["$p", "$$x"]}}}})",
        "scatter_gather 0,1,2"}},
      {"8.1.0", "8.2.0", "9.0.0"}, R"({"p": 1})", R"([{"p": 10}, {"p": 20}])");
  expect_source_cases({{plain, "scatter_gather 0,1,2"}}, {"6.0.12", "7.0.12", "8.0.4"},
                      R"({"p": 1})", R"([{"p": 10}, {"p": 20}])");
}

// mongo: compiler/rewrites/matcher/expression_optimizer.cpp at 1c287af, exprOptimizer,
// listOfOptimizer.
TEST(source_cases, an_or_drops_an_expression_that_is_never_true) {
  expect_source_cases(
      {{R"({"$or": [{"p": 5}, {"$expr": false}]})", "single_shard 0"},
       {R"({"$or": [{"p": 5}, {"p": 15}, {"$expr": {"$eq": [1, 2]}}]})", "multi_shard 0,1"},
       {R"({"$or": [{"p": 5}, {"$expr": true}]})", "scatter_gather 0,1,2"},
       {R"({"$or": [{"p": 5}, {"$expr": "$x"}]})", "scatter_gather 0,1,2"}},
      {"8.2.0", "9.0.0"}, R"({"p": 1})", R"([{"p": 10}, {"p": 20}])");
}

// mongo: shard_key_pattern_query_util.cpp at 009489e, findEqualityElement.
TEST(source_cases, an_equality_on_a_parent_is_one_on_its_part) {
  expect_source_cases(
      {
          {R"({"a": {"b": 15}})", "single_shard 1"},
          {R"({"a": {"b": 15, "c": 1}})", "single_shard 1"},
          // mongo: update/path_support.cpp, checkEqualityConflicts.
          {R"({"$and": [{"a": 1}, {"a": {"b": 15}}]})", "scatter_gather 0,1,2"},
          {R"({"a": {"c": 1}, "$and": [{"a.b": 15}]})", "single_shard 1"},
          {R"({"a": {"c": 1}})", "scatter_gather 0,1,2"},
          {R"({"a": {"$in": [{"b": 15}]}})", "single_shard 1"},
          {R"({"a": {"$in": [{"b": 15}, {"b": 5}]}})", "scatter_gather 0,1,2"},
          {R"({"a": null})", "scatter_gather 0,1,2"},
          {R"({"a": 5})", "scatter_gather 0,1,2"},
          {R"({"a.b.c": 5})", "scatter_gather 0,1,2"},
          {R"({"a": {"$gt": {"b": 15}}})", "scatter_gather 0,1,2"},
          {R"({"$expr": {"$eq": ["$a.b", 15]}})", "single_shard 1"},
          {R"({"$expr": {"$eq": ["$a", {"b": 15}]}})", "scatter_gather 0,1,2"},
          {R"({"$or": [{"a": {"b": 15}}]})", "single_shard 1"},
          {R"({"$or": [{"a": {"b": 15}}, {"a.b": 16}]})", "scatter_gather 0,1,2"},
          {R"({"a": [{"b": 15}]})", "scatter_gather 0,1,2"},
          {R"({"a": {"$elemMatch": {"b": 15}}})", "single_shard 1"},
      },
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"}, R"({"a.b": 1})",
      R"([{"a.b": 10}, {"a.b": 20}])");
}

// mongo: collection_routing_info_targeter.cpp at 009489e, targetUpdate and targetDelete, with
// and without featureFlagUpdateOneWithoutShardKey (7.1); write_op_analyzer.cpp at 0479b3d.
TEST(source_cases, a_write_of_one_document) {
  expect_source_cases(
      {
          {R"({"update": "c", "updates": [{"q": {"p": 15}, "u": {"$set": {"x": 1}}}]})",
           "single_shard 1"},
          {R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"$set": {"x": 1}}}]})",
           "scatter_gather 0,1,2"},
          {R"({"update": "c", "updates": [{"q": {"p": {"$gte": 15, "$lt": 18}}, "u": {"$set": {"x": 1}}}]})",
           "single_shard 1"},
          {R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"x": 1}}, "multi": true, "upsert": true}]})",
           "scatter_gather 0,1,2", "ShardKeyNotFound"},
          {R"({"update": "c", "updates": [{"q": {"_id": {"$in": [1]}}, "u": {"$set": {"x": 1}}}]})",
           "scatter_gather 0,1,2"},
          {R"({"update": "c", "updates": [{"q": {"p": 5}, "u": {"$set": {"x": 1}}, "collation": {"locale": "fr"}}]})",
           "single_shard 0"},
          {R"({"delete": "c", "deletes": [{"q": {"_id": 1}, "limit": 1}]})",
           "scatter_gather 0,1,2"},
          {R"({"delete": "c", "deletes": [{"q": {"p": {"$gte": 15, "$lt": 18}}, "limit": 1}]})",
           "single_shard 1"},
          {R"({"delete": "c", "deletes": [{"q": {"x": 1}, "limit": 0}]})",
           "scatter_gather 0,1,2"},
          {R"({"findAndModify": "c", "query": {"p": {"$gte": 15, "$lt": 18}}, "update": {"$set": {"x": 1}}})",
           "single_shard 1"},
      },
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"}, R"({"p": 1})",
      R"([{"p": 10}, {"p": 20}])");
  expect_source_cases(
      {
          {R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"x": 1}}}]})",
           "scatter_gather 0,1,2", "InvalidOptions"},
          {R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"x": 1}}, "upsert": true}]})",
           "scatter_gather 0,1,2", "ShardKeyNotFound"},
          {R"({"update": "c", "updates": [{"q": {"p": {"$gte": 15, "$lt": 18}}, "u": {"$set": {"x": 1}}, "upsert": true}]})",
           "single_shard 1", "ShardKeyNotFound"},
          {R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"p": 15}}]})",
           "single_shard 1"},
          {R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 15}, "upsert": true}]})",
           "scatter_gather 0,1,2", "ShardKeyNotFound"},
          {R"({"update": "c", "updates": [{"q": {"_id": {"$in": [1, 2]}}, "u": {"$set": {"x": 1}}}]})",
           "scatter_gather 0,1,2", "InvalidOptions"},
          {R"({"update": "c", "updates": [{"q": {"$expr": {"$eq": ["$_id", 1]}}, "u": {"$set": {"x": 1}}}]})",
           "scatter_gather 0,1,2", "InvalidOptions"},
          {R"({"update": "c", "updates": [{"q": {"_id": "a"}, "u": {"$set": {"x": 1}}, "collation": {"locale": "fr"}}]})",
           "scatter_gather 0,1,2", "InvalidOptions"},
          {R"({"update": "c", "updates": [{"q": {"p": "a"}, "u": {"$set": {"x": 1}}, "collation": {"locale": "fr"}}]})",
           "scatter_gather 0,1,2", "InvalidOptions"},
          {R"({"delete": "c", "deletes": [{"q": {"x": 1}, "limit": 1}]})",
           "scatter_gather 0,1,2", "ShardKeyNotFound"},
          {R"({"findAndModify": "c", "query": {"_id": 1}, "remove": true})",
           "scatter_gather 0,1,2", "ShardKeyNotFound"},
          {R"({"findAndModify": "c", "query": {"x": 1}, "update": {"$set": {"x": 1}}, "upsert": true})",
           "scatter_gather 0,1,2", "ShardKeyNotFound"},
      },
      {"6.0.12", "7.0.12"}, R"({"p": 1})", R"([{"p": 10}, {"p": 20}])");
  expect_source_cases(
      {
          {R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"x": 1}}}]})",
           "scatter_gather 0,1,2"},
          {R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"$set": {"x": 1}}, "upsert": true}]})",
           "scatter_gather 0,1,2"},
          {R"({"update": "c", "updates": [{"q": {"p": {"$gte": 15, "$lt": 18}}, "u": {"$set": {"x": 1}}, "upsert": true}]})",
           "single_shard 1"},
          {R"({"update": "c", "updates": [{"q": {"x": 1}, "u": {"p": 15}}]})",
           "scatter_gather 0,1,2"},
          {R"({"update": "c", "updates": [{"q": {"_id": {"$in": [1, 2]}}, "u": {"$set": {"x": 1}}}]})",
           "scatter_gather 0,1,2"},
          {R"({"update": "c", "updates": [{"q": {"$expr": {"$eq": ["$_id", 1]}}, "u": {"$set": {"x": 1}}}]})",
           "scatter_gather 0,1,2"},
          {R"({"update": "c", "updates": [{"q": {"_id": "a"}, "u": {"$set": {"x": 1}}, "collation": {"locale": "fr"}}]})",
           "scatter_gather 0,1,2"},
          {R"({"update": "c", "updates": [{"q": {"p": "a"}, "u": {"$set": {"x": 1}}, "collation": {"locale": "fr"}}]})",
           "scatter_gather 0,1,2"},
          {R"({"delete": "c", "deletes": [{"q": {"x": 1}, "limit": 1}]})",
           "scatter_gather 0,1,2"},
          {R"({"findAndModify": "c", "query": {"_id": 1}, "remove": true})",
           "scatter_gather 0,1,2"},
          {R"({"findAndModify": "c", "query": {"x": 1}, "update": {"$set": {"x": 1}}, "upsert": true})",
           "scatter_gather 0,1,2"},
      },
      {"8.0.4", "8.2.0", "9.0.0"}, R"({"p": 1})", R"([{"p": 10}, {"p": 20}])");
  expect_source_cases(
      {
          {R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 15}}]})",
           "single_shard 1"},
      },
      {"6.0.12", "7.0.12", "8.0.4"}, R"({"p": 1})", R"([{"p": 10}, {"p": 20}])");
  expect_source_cases(
      {
          {R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 15}}]})",
           "scatter_gather 0,1,2"},
          {R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 15}, "upsert": true}]})",
           "scatter_gather 0,1,2"},
      },
      {"8.2.0", "9.0.0"}, R"({"p": 1})", R"([{"p": 10}, {"p": 20}])");
  expect_source_cases(
      {
          {R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 15}, "upsert": true}]})",
           "single_shard 1"},
      },
      {"8.0.4"}, R"({"p": 1})", R"([{"p": 10}, {"p": 20}])");
}

}  // namespace
}  // namespace scattergate::routing_tests
