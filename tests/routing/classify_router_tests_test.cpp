#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// What mongos's own tests expect, in our own words: each test names file and commit.
namespace scattergate::routing_tests {
namespace {

struct row {
  std::string_view command;
  std::string_view where;
  std::string_view refused = "";
};

/// Judges each command against a catalog of one collection, as each version.
void expect(std::string_view collection, const std::vector<std::string_view>& versions,
            const std::vector<row>& rows) {
  for (const std::string_view version : versions) {
    const auto entries = catalog_of(R"({"version": ")" + std::string{version} +
                                    R"(", "collections": [)" + std::string{collection} + "]}");
    for (const row& each : rows) {
      const judged found{entries, each.command};
      EXPECT_EQ(found.where(), each.where) << version << " " << each.command;
      EXPECT_EQ(label(found.verdict().refused), each.refused) << version << " " << each.command;
    }
  }
}

/// mongo: s/collection_routing_info_targeter_test.cpp at 009489e, testTargetInsertWith...; in
/// the last one the hash of 0 is constant.
TEST(router_tests, an_insert_goes_by_its_own_key) {
  expect(
      R"({"ns": "db.c", "key": {"a.b": 1, "c.d": "hashed"}, "splits": [{"a.b": null}, {"a.b": {"$numberLong": "-100"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "100"}}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"insert": "c", "documents": [{"_id": 1, "a": {"b": -111}, "c": {"d": "1"}}]})",
        "single_shard 1"},
       {R"({"insert": "c", "documents": [{"_id": 1, "a": {"b": -10}}]})", "single_shard 2"},
       {R"({"insert": "c", "documents": [{"_id": 1, "a": {"b": 0}, "c": {"d": 4}}]})",
        "single_shard 3"},
       {R"({"insert": "c", "documents": [{"_id": 1, "a": {"b": 1000}, "c": null, "d": {}}]})",
        "single_shard 4"},
       {R"({"insert": "c", "documents": [{}]})", "single_shard 1"},
       {R"({"insert": "c", "documents": [{"a": 10}]})", "single_shard 1"},
       {R"({"insert": "c", "documents": [{"a": [1, 2]}]})", "unknown", "ShardKeyNotFound"},
       {R"({"insert": "c", "documents": [{"c": [1, 2]}]})", "unknown", "ShardKeyNotFound"},
       {R"({"insert": "c", "documents": [{"c": {"d": [1, 2]}}]})", "unknown",
        "ShardKeyNotFound"}});
  expect(
      R"({"ns": "db.c", "key": {"a.b": "hashed", "c.d": 1}, "splits": [{"a.b": {"$numberLong": "4854801880128277513"}, "c.d": null}, {"a.b": {"$numberLong": "4854801880128277513"}, "c.d": -100}, {"a.b": {"$numberLong": "4854801880128277513"}, "c.d": 0}, {"a.b": {"$numberLong": "4854801880128277513"}, "c.d": 100}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"insert": "c", "documents": [{"a": {"b": 0}, "c": {"d": -111}}]})",
        "single_shard 1"},
       {R"({"insert": "c", "documents": [{"a": {"b": 0}, "c": {"d": -11}}]})",
        "single_shard 2"},
       {R"({"insert": "c", "documents": [{"a": {"b": 0}, "c": {"d": 0}}]})", "single_shard 3"},
       {R"({"insert": "c", "documents": [{"a": {"b": 0}, "c": {"d": 111}}]})",
        "single_shard 4"},
       {R"({"insert": "c", "documents": [{"a": {"b": 0}}]})", "single_shard 1"},
       {R"({"insert": "c", "documents": [{"a": {"b": 0}, "c": 5}]})", "single_shard 1"}});
}

/// mongo: the same, testTargetUpdateWithRangePrefix..., testTargetDeleteWithRangePrefix...;
/// with two phases global_catalog/shard_key_pattern_query_util_chunk_ranges_test.cpp at
/// 01e0c87.
TEST(router_tests, writes_on_a_ranged_prefix) {
  expect(
      R"({"ns": "db.c", "key": {"a.b": 1, "c.d": "hashed"}, "splits": [{"a.b": null}, {"a.b": {"$numberLong": "-100"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "100"}}]})",
      {"6.0.12", "7.0.12"},
      {{R"({"update": "c", "updates": [{"q": {"a.b": {"$gt": 2}}, "u": {"a": {"b": -1}}}]})",
        "single_shard 2"},
       {R"({"update": "c", "updates": [{"q": {"a.b": {"$lt": -101}}, "u": {"a": {"b": 111}}}]})",
        "single_shard 1"},
       {R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 111}}]})",
        "single_shard 1"},
       {R"({"update": "c", "updates": [{"q": {"a.b": 100, "c.d": {"$exists": false}}, "u": {"a": {"b": -111}}, "upsert": true}]})",
        "single_shard 4", "ShardKeyNotFound"},
       {R"({"delete": "c", "deletes": [{"q": {"a.b": {"$gt": 0}}, "limit": 1}]})",
        "multi_shard 3,4", "ShardKeyNotFound"},
       {R"({"delete": "c", "deletes": [{"q": {"k": 0}, "limit": 1}]})",
        "scatter_gather 0,1,2,3,4", "ShardKeyNotFound"}});
  expect(
      R"({"ns": "db.c", "key": {"a.b": 1, "c.d": "hashed"}, "splits": [{"a.b": null}, {"a.b": {"$numberLong": "-100"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "100"}}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"update": "c", "updates": [{"q": {"$and": [{"a.b": {"$gte": 0}}, {"a.b": {"$lt": 99}}]}, "u": {"$set": {"p": 1}}}]})",
        "single_shard 3"},
       {R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"$set": {"p": 1}}}]})",
        "scatter_gather 0,1,2,3,4"},
       {R"({"update": "c", "updates": [{"q": {"a.b": 100, "c.d": "val"}, "u": {"a": {"b": -111}}, "upsert": true}]})",
        "single_shard 4"},
       {R"({"delete": "c", "deletes": [{"q": {"a.b": {"$gt": 101}}, "limit": 1}]})",
        "single_shard 4"},
       {R"({"delete": "c", "deletes": [{"q": {"a.b": -101, "c.d": 5}, "limit": 1}]})",
        "single_shard 1"},
       {R"({"delete": "c", "deletes": [{"q": {"a.b": {"$minKey": 1}, "c.d": 4}, "limit": 1}]})",
        "single_shard 0"},
       {R"({"delete": "c", "deletes": [{"q": {"a.b": 0, "c.d": 5}, "limit": 1}]})",
        "single_shard 3"}});
  expect(
      R"({"ns": "db.c", "key": {"a.b": 1, "c.d": "hashed"}, "splits": [{"a.b": null}, {"a.b": {"$numberLong": "-100"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "100"}}]})",
      {"8.0.4", "8.2.0", "9.0.0"},
      {{R"({"update": "c", "updates": [{"q": {"a.b": {"$gt": 2}}, "u": {"a": {"b": -1}}}]})",
        "multi_shard 3,4"},
       {R"({"update": "c", "updates": [{"q": {"a.b": {"$lt": -101}}, "u": {"a": {"b": 111}}}]})",
        "single_shard 1"},
       {R"({"update": "c", "updates": [{"q": {"a.b": 100}, "u": {"a": {"b": -111}}, "upsert": true}]})",
        "single_shard 4"},
       {R"({"delete": "c", "deletes": [{"q": {"a.b": {"$gt": 0}}, "limit": 1}]})",
        "multi_shard 3,4"},
       {R"({"delete": "c", "deletes": [{"q": {"k": 0}, "limit": 1}]})",
        "scatter_gather 0,1,2,3,4"}});
  expect(
      R"({"ns": "db.c", "key": {"a.b": 1, "c.d": "hashed"}, "splits": [{"a.b": null}, {"a.b": {"$numberLong": "-100"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "100"}}]})",
      {"8.0.4"},
      {{R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 111}}]})",
        "single_shard 1"}});
  expect(
      R"({"ns": "db.c", "key": {"a.b": 1, "c.d": "hashed"}, "splits": [{"a.b": null}, {"a.b": {"$numberLong": "-100"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "100"}}]})",
      {"8.2.0", "9.0.0"},
      {{R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 111}}]})",
        "scatter_gather 0,1,2,3,4"}});
}

/// mongo: the same, testTargetUpdateWithHashedPrefix..., testTargetDeleteWithHashedPrefix...
TEST(router_tests, writes_on_a_hashed_prefix) {
  expect(
      R"({"ns": "db.c", "key": {"a.b": "hashed", "c.d": 1}, "splits": [{"a.b": {"$numberLong": "-4611686018427387904"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "4611686018427387904"}}]})",
      {"6.0.12", "7.0.12"},
      {{R"({"update": "c", "updates": [{"q": {"a.b": {"$gt": 101}}, "u": {"a": {"b": -1}}}]})",
        "single_shard 2"},
       {R"({"update": "c", "updates": [{"q": {"a.b": {"$gt": 101}}, "u": {"$set": {"p": 1}}}]})",
        "scatter_gather 0,1,2,3", "InvalidOptions"},
       {R"({"delete": "c", "deletes": [{"q": {"a.b": {"$gt": 101}}, "limit": 1}]})",
        "scatter_gather 0,1,2,3", "ShardKeyNotFound"}});
  expect(
      R"({"ns": "db.c", "key": {"a.b": "hashed", "c.d": 1}, "splits": [{"a.b": {"$numberLong": "-4611686018427387904"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "4611686018427387904"}}]})",
      {"8.0.4", "8.2.0", "9.0.0"},
      {{R"({"update": "c", "updates": [{"q": {"a.b": {"$gt": 101}}, "u": {"a": {"b": -1}}}]})",
        "scatter_gather 0,1,2,3"},
       {R"({"update": "c", "updates": [{"q": {"a.b": {"$gt": 101}}, "u": {"$set": {"p": 1}}}]})",
        "scatter_gather 0,1,2,3"},
       {R"({"delete": "c", "deletes": [{"q": {"a.b": {"$gt": 101}}, "limit": 1}]})",
        "scatter_gather 0,1,2,3"}});
}

/// mongo: shard_key_pattern_query_util_chunk_ranges_test.cpp at 01e0c87,
/// testGetShardIdsAndChunksUpdateWithMultipleChunksPerShard, ...AlwaysFalseMatch; 8.0 is
/// from before SERVER-84547.
TEST(router_tests, several_chunks_on_a_shard) {
  expect(
      R"({"ns": "db.c", "key": {"a.b": 1}, "splits": [{"a.b": {"$numberLong": "-200"}}, {"a.b": {"$numberLong": "-100"}}, {"a.b": {"$numberLong": "-50"}}, {"a.b": {"$numberLong": "-25"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "25"}}, {"a.b": {"$numberLong": "50"}}, {"a.b": {"$numberLong": "100"}}, {"a.b": {"$numberLong": "200"}}], "shards": ["0", "0", "1", "1", "2", "2", "3", "3", "4", "4"]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"update": "c", "updates": [{"q": {"$and": [{"a.b": {"$gte": 199}}, {"a.b": {"$lt": 300}}]}, "u": {"$set": {"p": 1}}}]})",
        "single_shard 4"},
       {R"({"update": "c", "updates": [{"q": {"$and": [{"a.b": {"$gte": -250}}, {"a.b": {"$lt": 300}}]}, "u": {"$set": {"p": 1}}, "multi": true}]})",
        "multi_shard 0,1,2,3,4"},
       {R"({"update": "c", "updates": [{"q": {}, "u": {"$set": {"p": 1}}, "multi": true}]})",
        "scatter_gather 0,1,2,3,4"},
       {R"({"update": "c", "updates": [{"q": {"$and": [{"a.b": {"$gte": -150}}, {"a.b": {"$lt": 150}}]}, "u": {"$set": {"p": 1}}, "multi": true}]})",
        "multi_shard 0,1,2,3,4"}});
  expect(R"({"ns": "db.c", "key": {"a.b": 1}, "splits": [{"a.b": 0}]})", {"8.2.0", "9.0.0"},
         {{R"({"find": "c", "filter": {"$alwaysFalse": 1}})", "single_shard 0"}});
  expect(R"({"ns": "db.c", "key": {"a.b": 1}, "splits": [{"a.b": 0}]})", {"8.0.4"},
         {{R"({"find": "c", "filter": {"$alwaysFalse": 1}})", "scatter_gather 0,1"}});
}

/// mongo: shard_key_pattern_query_util_index_bounds_test.cpp at 01e0c87, CMCollapseTreeTest.
TEST(router_tests, bounds_of_one_field) {
  expect(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 0}, {"a": 10}, {"a": 15}, {"a": 20}, {"a": 25}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": 2}})", "single_shard 1"},
       {R"({"find": "c", "filter": {"b": 2}})", "scatter_gather 0,1,2,3,4,5"},
       {R"({"find": "c", "filter": {"a": {"$not": {"$gt": 1}}}})", "multi_shard 0,1,5"},
       {R"({"find": "c", "filter": {"$or": [{"a": 20}, {"$and": [{"a": 1}, {"b": 7}]}]}})",
        "multi_shard 1,4"},
       {R"({"find": "c", "filter": {"a": 20, "$or": [{"b": 1}, {"c": 7}]}})", "single_shard 4"},
       {R"({"find": "c", "filter": {"$or": [{"a": {"$gt": 2, "$lt": 10}}, {"a": {"$gt": 0, "$lt": 5}}]}})",
        "multi_shard 1,2"},
       {R"({"find": "c", "filter": {"$or": [{"a": {"$gt": 2, "$lt": 10}}, {"a": {"$gt": 0, "$lt": 15}}, {"a": {"$gt": 20}}]}})",
        "multi_shard 1,2,3,4,5"},
       {R"({"find": "c", "filter": {"$or": [{"a": {"$gt": 1, "$lt": 5}, "b": 6}, {"a": 3, "b": {"$gt": 0, "$lt": 10}}]}})",
        "single_shard 1"},
       {R"({"find": "c", "filter": {"$where": "this.credits == this.debits"}})",
        "scatter_gather 0,1,2,3,4,5"},
       {R"({"find": "c", "filter": {"$text": {"$search": "coffee -cake"}}})",
        "scatter_gather 0,1,2,3,4,5"},
       {R"({"find": "c", "filter": {"a": 2, "$text": {"$search": "leche", "$language": "es"}}})",
        "single_shard 1"},
       {R"({"find": "c", "filter": {"a": 2, "b": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}, "$minDistance": 0, "$maxDistance": 2}}}})",
        "single_shard 1"},
       {R"({"find": "c", "filter": {"a": 2, "b": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}}}, "c": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}}}}})",
        "unknown", "BadValue"},
       {R"({"find": "c", "filter": {"$or": {"a": 2, "b": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}}}}}})",
        "unknown", "BadValue"}});
  expect(R"({"ns": "db.c", "key": {"foo.a": 1}, "splits": [{"foo.a": 1}, {"foo.a": 2}]})",
         {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
         {{R"({"find": "c", "filter": {"foo": {"$all": [{"$elemMatch": {"a": 1, "b": 1}}]}}})",
           "single_shard 1"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 0}, {"a": "m"}, {"a": {"$oid": "5f0000000000000000000000"}}, {"a": true}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": {"$regularExpression": {"pattern": "abc", "options": ""}}}})",
        "multi_shard 1,2,4"}});
  expect(
      R"({"ns": "db.c", "key": {"a": "hashed"}, "splits": [{"a": {"$numberLong": "0"}}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": {"$lt": 2, "$gt": 1}}})", "scatter_gather 0,1"},
       {R"({"find": "c", "filter": {"a": {"$regularExpression": {"pattern": "abc", "options": ""}}}})",
        "scatter_gather 0,1"}});
}

/// mongo: the same, and CMKeyBoundsTest. The hash of 5 is below that of 1.
TEST(router_tests, bounds_of_several_fields) {
  expect(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 1, "b": 0}, {"a": 3}, {"a": 5, "b": 3}, {"a": 5, "b": 4}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$or": [{"a": {"$gt": 1, "$lt": 5}, "b": {"$gt": 0, "$lt": 3}, "c": 6}, {"a": 3, "b": {"$gt": 1, "$lt": 2}, "c": {"$gt": 0, "$lt": 10}}]}})",
        "multi_shard 1,2,3"},
       {R"({"find": "c", "filter": {"$or": [{"a": {"$gt": 1, "$lt": 5}, "c": 6}, {"a": 3, "b": {"$gt": 1, "$lt": 2}, "c": {"$gt": 0, "$lt": 10}}]}})",
        "multi_shard 0,1,2,3,4"},
       {R"({"find": "c", "filter": {"$or": [{"a": {"$in": [1]}, "b": {"$in": [1]}}, {"a": {"$in": [1, 5]}, "b": {"$in": [1, 5]}}]}})",
        "multi_shard 1,2,3,4"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 10, "b": 50}, {"a": 20, "b": 150}, {"a": 20, "b": 250}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": {"$gte": 10, "$lte": 20}, "b": {"$gte": 100, "$lte": 200}}, "sort": {"a": -1, "b": -1}})",
        "multi_shard 1,2"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1, "c": 1}, "splits": [{"a": "foo", "b": "bar", "c": 50}, {"a": "foo", "b": "bar", "c": 150}, {"a": "foo", "b": "baz", "c": 0}, {"a": "foo", "b": "baz", "c": 300}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": "foo", "b": {"$in": ["bar", "baz"]}, "c": {"$gte": 100, "$lte": 200}}, "limit": 1, "sort": {"c": -1}})",
        "multi_shard 1,2,3"}});
  expect(
      R"({"ns": "db.c", "key": {"a": "hashed", "b": 1}, "splits": [{"a": {"$numberLong": "4470791281878691347"}, "b": -1}, {"a": {"$numberLong": "4470791281878691347"}, "b": 5}, {"a": {"$numberLong": "5902408780260971510"}, "b": -1}, {"a": {"$numberLong": "5902408780260971510"}, "b": 5}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$or": [{"a": {"$in": [1]}, "b": {"$in": [1]}}, {"a": {"$in": [1, 5]}, "b": {"$gt": 0, "$lt": 3}}]}})",
        "multi_shard 1,3"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1, "b": "hashed", "c": 1}, "splits": [{"a": 0, "b": {"$numberLong": "2433984061343616404"}}, {"a": 3, "b": {"$numberLong": "2433984061343616404"}}, {"a": 3, "b": {"$numberLong": "2433984061343616405"}}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": {"$gt": 0, "$lte": 3}, "b": 4}})",
        "multi_shard 1,2"}});
}

/// mongo: the same, GeoNearDoesNotAffectOtherBounds, of 7.0 and later.
TEST(router_tests, near_leaves_other_bounds_alone) {
  expect(
      R"({"ns": "db.c", "key": {"a": 1, "c": 1}, "splits": [{"a": 2}, {"a": 2, "c": 2}, {"a": 2, "c": 9}, {"a": 3}]})",
      {"7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": 2, "b": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}, "$minDistance": 0, "$maxDistance": 2}}, "c": {"$gt": 2}}})",
        "multi_shard 2,3"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1, "c": 1}, "splits": [{"a": 2}, {"a": 2, "c": 2}, {"a": 2, "c": 9}, {"a": 3}]})",
      {"6.0.12"},
      {{R"({"find": "c", "filter": {"a": 2, "b": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}, "$minDistance": 0, "$maxDistance": 2}}, "c": {"$gt": 2}}})",
        "scatter_gather 0,1,2,3,4"}});
}

/// mongo: matcher/expression_simplifier_test.cpp at 1d42410: ContainedOrsOnWithoutTop,
/// AlwaysFalseContainedOrs, AbsorbedTerm, NorAlwaysBoolean, SimpleNor, NotExpression,
/// StopOnTooManyTerms, OrOfTheSame.
TEST(router_tests, simplified_expressions) {
  expect(
      R"({"ns": "db.c", "key": {"b": 1}, "splits": [{"b": 10}, {"b": 12}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$and": [{"$or": [{"b": 15}, {"c": 15}]}, {"$or": [{"b": 11, "c": 11}, {"b": 11, "c": {"$ne": 11}}]}, {"$or": [{"c": 10}, {"c": {"$ne": 10}}]}]}})",
        "single_shard 1"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})",
      {"8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$and": [{"a": 11}, {"$or": [{"b": 15}, {"c": 15}]}, {"a": {"$ne": 11}, "b": 11, "c": 11}, {"$or": [{"c": 10}, {"c": {"$ne": 10}}]}]}})",
        "single_shard 0"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})",
      {"6.0.12", "7.0.12"},
      {{R"({"find": "c", "filter": {"$and": [{"a": 11}, {"$or": [{"b": 15}, {"c": 15}]}, {"a": {"$ne": 11}, "b": 11, "c": 11}, {"$or": [{"c": 10}, {"c": {"$ne": 10}}]}]}})",
        "single_shard 1"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})", {"8.0.4"},
      {{R"({"find": "c", "filter": {"$and": [{"a": 11}, {"$or": [{"b": 15}, {"c": 15}]}, {"a": {"$ne": 11}, "b": 11, "c": 11}, {"$or": [{"c": 10}, {"c": {"$ne": 10}}]}]}})",
        "scatter_gather 0,1,2"}});
  expect(R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 1}, {"a": 2}]})",
         {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
         {{R"({"find": "c", "filter": {"$or": [{"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 2}]}})",
           "single_shard 1"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 1}, {"a": 2}]})",
      {"6.0.12", "7.0.12"},
      {{R"({"update": "c", "updates": [{"q": {"$or": [{"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 2}]}, "u": {"$set": {"p": 1}}, "multi": true, "upsert": true}]})",
        "single_shard 1", "ShardKeyNotFound"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 1}, {"a": 2}]})",
      {"8.0.4", "8.2.0", "9.0.0"},
      {{R"({"update": "c", "updates": [{"q": {"$or": [{"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 2}]}, "u": {"$set": {"p": 1}}, "multi": true, "upsert": true}]})",
        "single_shard 1"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$nor": [{"$alwaysFalse": 1}]}})", "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$nor": [{"$and": [{"a": 1}, {"a": {"$ne": 1}}]}]}})",
        "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$nor": [{"a": {"$gt": 5}}, {"b": 10}, {"c": {"$lt": 10}}]}})",
        "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$nor": [{"$and": [{"$or": [{"a": {"$gt": 1}}, {"b": {"$gt": 1}}]}, {"$or": [{"a": {"$lt": 2}}, {"b": {"$lt": 2}}]}]}]}})",
        "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$and": [{"$or": [{"a": 1}, {"b": 1}]}, {"$or": [{"a": 2}, {"b": 2}]}, {"$or": [{"a": 3}, {"b": 3}]}, {"$or": [{"a": 4}, {"b": 4}]}]}})",
        "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$or": [{"a": {"$lt": 0}}, {"a": {"$lt": 0}}]}})",
        "single_shard 0"}});
  expect(R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})",
         {"8.2.0", "9.0.0"},
         {{R"({"find": "c", "filter": {"$nor": [{"a": 1}, {"a": {"$ne": 1}}]}})",
           "single_shard 0"},
          {R"({"find": "c", "filter": {"$nor": [{"$or": [{"a": 1}, {"a": {"$ne": 1}}]}]}})",
           "single_shard 0"},
          {R"({"find": "c", "filter": {"$nor": [{"$alwaysTrue": 1}]}})", "single_shard 0"},
          {R"({"find": "c", "filter": {"$nor": [{"$alwaysFalse": 1}, {"$alwaysTrue": 1}]}})",
           "single_shard 0"}});
  expect(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})",
      {"6.0.12", "7.0.12", "8.0.4"},
      {{R"({"find": "c", "filter": {"$nor": [{"a": 1}, {"a": {"$ne": 1}}]}})",
        "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$nor": [{"$or": [{"a": 1}, {"a": {"$ne": 1}}]}]}})",
        "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$nor": [{"$alwaysTrue": 1}]}})", "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$nor": [{"$alwaysFalse": 1}, {"$alwaysTrue": 1}]}})",
        "scatter_gather 0,1,2"}});
}

}  // namespace
}  // namespace scattergate::routing_tests
