#include <string>
#include <string_view>
#include <vector>

#include "tests/routing/command_rows.hpp"

/// What mongos's own tests expect, in our own words: each test names file and commit.
namespace scattergate::routing_tests {
namespace {

/// Judges each command against a catalog of one collection, as each version.
void expect_router_tests(std::string_view collection,
                         const std::vector<std::string_view>& versions,
                         const std::vector<command_row>& rows) {
  for (const std::string_view version : versions) {
    SCOPED_TRACE(version);
    expect_commands(catalog_of(R"({"version": ")" + std::string{version} +
                               R"(", "collections": [)" + std::string{collection} + "]}"),
                    rows);
  }
}

/// mongo: s/collection_routing_info_targeter_test.cpp at 009489e, testTargetInsertWith...; in
/// the last one the hash of 0 is constant.
TEST(router_tests, an_insert_goes_by_its_own_key) {
  expect_router_tests(
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
  expect_router_tests(
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
  expect_router_tests(
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
  expect_router_tests(
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
  expect_router_tests(
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
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a.b": 1, "c.d": "hashed"}, "splits": [{"a.b": null}, {"a.b": {"$numberLong": "-100"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "100"}}]})",
      {"8.0.4"},
      {{R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 111}}]})",
        "single_shard 1"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a.b": 1, "c.d": "hashed"}, "splits": [{"a.b": null}, {"a.b": {"$numberLong": "-100"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "100"}}]})",
      {"8.2.0", "9.0.0"},
      {{R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"p": 111}}]})",
        "scatter_gather 0,1,2,3,4"}});
}

/// mongo: the same, testTargetUpdateWithHashedPrefix..., testTargetDeleteWithHashedPrefix...
TEST(router_tests, writes_on_a_hashed_prefix) {
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a.b": "hashed", "c.d": 1}, "splits": [{"a.b": {"$numberLong": "-4611686018427387904"}}, {"a.b": {"$numberLong": "0"}}, {"a.b": {"$numberLong": "4611686018427387904"}}]})",
      {"6.0.12", "7.0.12"},
      {{R"({"update": "c", "updates": [{"q": {"a.b": {"$gt": 101}}, "u": {"a": {"b": -1}}}]})",
        "single_shard 2"},
       {R"({"update": "c", "updates": [{"q": {"a.b": {"$gt": 101}}, "u": {"$set": {"p": 1}}}]})",
        "scatter_gather 0,1,2,3", "InvalidOptions"},
       {R"({"delete": "c", "deletes": [{"q": {"a.b": {"$gt": 101}}, "limit": 1}]})",
        "scatter_gather 0,1,2,3", "ShardKeyNotFound"}});
  expect_router_tests(
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
  expect_router_tests(
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
  expect_router_tests(R"({"ns": "db.c", "key": {"a.b": 1}, "splits": [{"a.b": 0}]})",
                      {"8.2.0", "9.0.0"},
                      {{R"({"find": "c", "filter": {"$alwaysFalse": 1}})", "single_shard 0"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a.b": 1}, "splits": [{"a.b": 0}]})", {"8.0.4"},
      {{R"({"find": "c", "filter": {"$alwaysFalse": 1}})", "scatter_gather 0,1"}});
}

/// mongo: shard_key_pattern_query_util_index_bounds_test.cpp at 01e0c87, CMCollapseTreeTest.
TEST(router_tests, bounds_of_one_field) {
  expect_router_tests(
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
  expect_router_tests(
      R"({"ns": "db.c", "key": {"foo.a": 1}, "splits": [{"foo.a": 1}, {"foo.a": 2}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"foo": {"$all": [{"$elemMatch": {"a": 1, "b": 1}}]}}})",
        "single_shard 1"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 0}, {"a": "m"}, {"a": {"$oid": "5f0000000000000000000000"}}, {"a": true}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": {"$regularExpression": {"pattern": "abc", "options": ""}}}})",
        "multi_shard 1,2,4"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": "hashed"}, "splits": [{"a": {"$numberLong": "0"}}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": {"$lt": 2, "$gt": 1}}})", "scatter_gather 0,1"},
       {R"({"find": "c", "filter": {"a": {"$regularExpression": {"pattern": "abc", "options": ""}}}})",
        "scatter_gather 0,1"}});
}

/// mongo: the same, and CMKeyBoundsTest. The hash of 5 is below that of 1.
TEST(router_tests, bounds_of_several_fields) {
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 1, "b": 0}, {"a": 3}, {"a": 5, "b": 3}, {"a": 5, "b": 4}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$or": [{"a": {"$gt": 1, "$lt": 5}, "b": {"$gt": 0, "$lt": 3}, "c": 6}, {"a": 3, "b": {"$gt": 1, "$lt": 2}, "c": {"$gt": 0, "$lt": 10}}]}})",
        "multi_shard 1,2,3"},
       {R"({"find": "c", "filter": {"$or": [{"a": {"$gt": 1, "$lt": 5}, "c": 6}, {"a": 3, "b": {"$gt": 1, "$lt": 2}, "c": {"$gt": 0, "$lt": 10}}]}})",
        "multi_shard 0,1,2,3,4"},
       {R"({"find": "c", "filter": {"$or": [{"a": {"$in": [1]}, "b": {"$in": [1]}}, {"a": {"$in": [1, 5]}, "b": {"$in": [1, 5]}}]}})",
        "multi_shard 1,2,3,4"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 10, "b": 50}, {"a": 20, "b": 150}, {"a": 20, "b": 250}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": {"$gte": 10, "$lte": 20}, "b": {"$gte": 100, "$lte": 200}}, "sort": {"a": -1, "b": -1}})",
        "multi_shard 1,2"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1, "c": 1}, "splits": [{"a": "foo", "b": "bar", "c": 50}, {"a": "foo", "b": "bar", "c": 150}, {"a": "foo", "b": "baz", "c": 0}, {"a": "foo", "b": "baz", "c": 300}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": "foo", "b": {"$in": ["bar", "baz"]}, "c": {"$gte": 100, "$lte": 200}}, "limit": 1, "sort": {"c": -1}})",
        "multi_shard 1,2,3"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": "hashed", "b": 1}, "splits": [{"a": {"$numberLong": "4470791281878691347"}, "b": -1}, {"a": {"$numberLong": "4470791281878691347"}, "b": 5}, {"a": {"$numberLong": "5902408780260971510"}, "b": -1}, {"a": {"$numberLong": "5902408780260971510"}, "b": 5}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$or": [{"a": {"$in": [1]}, "b": {"$in": [1]}}, {"a": {"$in": [1, 5]}, "b": {"$gt": 0, "$lt": 3}}]}})",
        "multi_shard 1,3"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1, "b": "hashed", "c": 1}, "splits": [{"a": 0, "b": {"$numberLong": "2433984061343616404"}}, {"a": 3, "b": {"$numberLong": "2433984061343616404"}}, {"a": 3, "b": {"$numberLong": "2433984061343616405"}}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": {"$gt": 0, "$lte": 3}, "b": 4}})",
        "multi_shard 1,2"}});
}

/// mongo: the same, GeoNearDoesNotAffectOtherBounds, of 7.0 and later.
TEST(router_tests, near_leaves_other_bounds_alone) {
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1, "c": 1}, "splits": [{"a": 2}, {"a": 2, "c": 2}, {"a": 2, "c": 9}, {"a": 3}]})",
      {"7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"a": 2, "b": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}, "$minDistance": 0, "$maxDistance": 2}}, "c": {"$gt": 2}}})",
        "multi_shard 2,3"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1, "c": 1}, "splits": [{"a": 2}, {"a": 2, "c": 2}, {"a": 2, "c": 9}, {"a": 3}]})",
      {"6.0.12"},
      {{R"({"find": "c", "filter": {"a": 2, "b": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}, "$minDistance": 0, "$maxDistance": 2}}, "c": {"$gt": 2}}})",
        "scatter_gather 0,1,2,3,4"}});
}

/// mongo: matcher/expression_simplifier_test.cpp at 1d42410: ContainedOrsOnWithoutTop,
/// AlwaysFalseContainedOrs, AbsorbedTerm, NorAlwaysBoolean, SimpleNor, NotExpression,
/// StopOnTooManyTerms, OrOfTheSame.
TEST(router_tests, simplified_expressions) {
  expect_router_tests(
      R"({"ns": "db.c", "key": {"b": 1}, "splits": [{"b": 10}, {"b": 12}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$and": [{"$or": [{"b": 15}, {"c": 15}]}, {"$or": [{"b": 11, "c": 11}, {"b": 11, "c": {"$ne": 11}}]}, {"$or": [{"c": 10}, {"c": {"$ne": 10}}]}]}})",
        "single_shard 1"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})",
      {"8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$and": [{"a": 11}, {"$or": [{"b": 15}, {"c": 15}]}, {"a": {"$ne": 11}, "b": 11, "c": 11}, {"$or": [{"c": 10}, {"c": {"$ne": 10}}]}]}})",
        "single_shard 0"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})",
      {"6.0.12", "7.0.12"},
      {{R"({"find": "c", "filter": {"$and": [{"a": 11}, {"$or": [{"b": 15}, {"c": 15}]}, {"a": {"$ne": 11}, "b": 11, "c": 11}, {"$or": [{"c": 10}, {"c": {"$ne": 10}}]}]}})",
        "single_shard 1"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})", {"8.0.4"},
      {{R"({"find": "c", "filter": {"$and": [{"a": 11}, {"$or": [{"b": 15}, {"c": 15}]}, {"a": {"$ne": 11}, "b": 11, "c": 11}, {"$or": [{"c": 10}, {"c": {"$ne": 10}}]}]}})",
        "scatter_gather 0,1,2"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 1}, {"a": 2}]})",
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$or": [{"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 2}]}})",
        "single_shard 1"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 1}, {"a": 2}]})",
      {"6.0.12", "7.0.12"},
      {{R"({"update": "c", "updates": [{"q": {"$or": [{"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 2}]}, "u": {"$set": {"p": 1}}, "multi": true, "upsert": true}]})",
        "single_shard 1", "ShardKeyNotFound"}});
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1, "b": 1}, "splits": [{"a": 1}, {"a": 2}]})",
      {"8.0.4", "8.2.0", "9.0.0"},
      {{R"({"update": "c", "updates": [{"q": {"$or": [{"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 2}]}, "u": {"$set": {"p": 1}}, "multi": true, "upsert": true}]})",
        "single_shard 1"}});
  expect_router_tests(
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
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 12}]})",
      {"8.2.0", "9.0.0"},
      {{R"({"find": "c", "filter": {"$nor": [{"a": 1}, {"a": {"$ne": 1}}]}})",
        "single_shard 0"},
       {R"({"find": "c", "filter": {"$nor": [{"$or": [{"a": 1}, {"a": {"$ne": 1}}]}]}})",
        "single_shard 0"},
       {R"({"find": "c", "filter": {"$nor": [{"$alwaysTrue": 1}]}})", "single_shard 0"},
       {R"({"find": "c", "filter": {"$nor": [{"$alwaysFalse": 1}, {"$alwaysTrue": 1}]}})",
        "single_shard 0"}});
  expect_router_tests(
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

/// mongo: matcher/expression_tree.cpp, ListOfMatchExpression::getOptimizer: a conjunction with
/// $alwaysFalse is that, and has no _id; an $or of one branch is that branch.
TEST(router_tests, before_8_0_what_is_never_true_is_left_out_of_an_or) {
  constexpr std::string_view by_a =
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}, {"a": 20}]})";
  expect_router_tests(
      by_a, {"4.4.0", "5.0.0", "6.0.12", "7.0.12"},
      {{R"({"find": "c", "filter": {"$or": [{"$alwaysFalse": 1},
               {"a": {"$in": [5, 25]}, "$or": [{"a": 15}]}]}})",
        "single_shard 1"},
       {R"({"update": "c", "updates": [{"q": {"$or": [{"x": {"$all": []}}, {"a": 15}]},
               "u": {"$set": {"x": 1}}, "upsert": true}]})",
        "single_shard 1"},
       {R"({"find": "c", "filter": {"$or": [{"$nor": [{"$alwaysFalse": 1}]}, {"a": 15}]}})",
        "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$or": [{"$alwaysFalse": 1}, {"a": 15}, {"x": 1}]}})",
        "scatter_gather 0,1,2"},
       {R"({"find": "c", "filter": {"$or": [{"$alwaysFalse": 1}, {"$foo": 15}]}})", "unknown",
        "BadValue"}});
  constexpr std::string_view with_id =
      R"({"ns": "db.c", "key": {"a": 1, "_id": 1}, "splits": [{"a": 10, "_id": 0}]})";
  expect_router_tests(
      with_id, {"4.4.0", "5.0.0", "6.0.12", "7.0.12"},
      {{R"({"update": "c", "updates": [{"q": {"_id": 5}, "u": {"a": 7}}]})", "single_shard 0"},
       {R"({"update": "c", "updates": [{"q": {"_id": 5, "$alwaysFalse": 1}, "u": {"a": 7}}]})",
        "unknown", "ShardKeyNotFound"},
       {R"({"update": "c", "updates": [{"q": {"_id": 5, "$or": [{"x": {"$all": []}}]},
               "u": {"a": 7}}]})",
        "unknown", "ShardKeyNotFound"}});
}

/// mongo: update/path_support.cpp, checkEqualityConflicts, and query/canonical_query.cpp, which
/// sorts the equality of the parent first: they conflict, and the field's own one gives bounds.
TEST(router_tests, an_equality_of_a_parent_conflicts_with_one_of_the_field) {
  constexpr std::string_view plain =
      R"({"ns": "db.c", "key": {"c.d": 1}, "splits": [{"c.d": 10}, {"c.d": 20}]})";
  expect_router_tests(
      plain, {"7.0.12", "8.0.4", "8.2.0", "9.0.0"},
      {{R"({"delete": "c", "deletes": [{"q": {"c": {"d": 15}, "c.d": 15}, "limit": 1}]})",
        "single_shard 1"},
       {R"({"delete": "c", "deletes": [{"q": {"c.d": 15, "c": {"d": 5}}, "limit": 1}]})",
        "single_shard 1"},
       {R"({"update": "c", "updates": [{"q": {"c": {"d": 15}, "c.d": 15},
               "u": {"$set": {"x": 1}}, "multi": true, "upsert": true}]})",
        "single_shard 1", "ShardKeyNotFound"}});
  expect_router_tests(
      R"({"ns": "db.system.buckets.c", "key": {"meta.d": 1},
             "timeSeries": {"time": "t", "meta": "c", "span": 3600},
             "splits": [{"meta.d": 10}, {"meta.d": 20}]})",
      {"7.0.12", "8.0.4", "8.2.0"},
      {{R"({"delete": "c", "deletes": [{"q": {"c": {"d": 15}, "c.d": 15}, "limit": 1}]})",
        "single_shard 1"}});
}

/// mongo: compiler/rewrites/matcher/rewrite_expr.cpp at 0785196, _rewriteInExpression;
/// expression_optimizer.cpp at 1c287af, exprOptimizer and inOptimizer: a list of one value in
/// an $expr is such an equality, too. On measurements $expr isn't followed.
TEST(router_tests, an_equality_of_a_parent_conflicts_with_a_list_of_one_value) {
  constexpr std::string_view find =
      R"({"find": "c", "filter": {"c": {"d": 5}, "$expr": {"$in": ["$c.d", [15, 15]]}}})";
  constexpr std::string_view plain =
      R"({"ns": "db.c", "key": {"c.d": 1}, "splits": [{"c.d": 10}, {"c.d": 20}]})";
  expect_router_tests(plain, {"8.1.0", "8.2.0", "9.0.0"}, {{find, "single_shard 1"}});
  expect_router_tests(plain, {"7.0.12", "8.0.4"}, {{find, "single_shard 0"}});
  constexpr std::string_view series =
      R"({"ns": "db.system.buckets.c", "key": {"meta.d": 1},
          "timeSeries": {"time": "t", "meta": "c", "span": 3600},
          "splits": [{"meta.d": 10}, {"meta.d": 20}]})";
  expect_router_tests(series, {"8.1.0", "8.2.0"},
                      {{find, "scatter_gather 0,1,2"},
                       {R"({"findAndModify": "c", "remove": true,
               "query": {"c": {"d": 5}, "$expr": {"$in": ["$c.d", [15]]}}})",
                        "scatter_gather 0,1,2"}});
  expect_router_tests(series, {"8.0.4"}, {{find, "single_shard 0"}});
}

/// mongo: bucket_unpacker.cpp, createPredicatesOnBucketLevelField: in an $or, 6.0 turns a list
/// on the meta field into a union, and plans only one of several.
TEST(router_tests, lists_in_an_or_on_measurements_bound_from_7_0_on) {
  constexpr std::string_view series =
      R"({"ns": "db.system.buckets.c", "key": {"meta": 1},
          "timeSeries": {"time": "t", "meta": "m", "span": 3600},
          "splits": [{"meta": 10}, {"meta": 20}]})";
  constexpr std::string_view lists = R"({"find": "c", "filter": {"$or": [
      {"$and": [{"m": {"$in": [5, 15]}}, {"m": {"$in": [5, 25]}}]}, {"m": 5}]}})";
  expect_router_tests(series, {"6.0.0", "6.0.12"}, {{lists, "scatter_gather 0,1,2"}});
  expect_router_tests(series, {"7.0.12", "8.2.0"}, {{lists, "single_shard 0"}});
}

/// mongo: pipeline.cpp, optimizeContainer: a $match moves before stages that leave its fields
/// alone, and is merged with the one there.
TEST(router_tests, a_later_match_on_measurements_may_change_the_plan_of_the_first) {
  constexpr std::string_view series =
      R"({"ns": "db.system.buckets.c", "key": {"meta": 1},
          "timeSeries": {"time": "t", "meta": "m", "span": 3600},
          "splits": [{"meta": 10}, {"meta": 20}]})";
  expect_router_tests(series, {"8.0.4", "8.2.0"},
                      {{R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$match": {"m": 5}},
               {"$sort": {"x": 1}}, {"$match": {"m": {"$ne": 5}}}]})",
                        "scatter_gather 0,1,2"},
                       {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$match": {"m": 5}},
               {"$sort": {"x": 1}}, {"$match": {"$or": [{"m": 15}, {"m": 25}]}}]})",
                        "scatter_gather 0,1,2"},
                       {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$match": {"m": 5}},
               {"$group": {"_id": "$x", "n": {"$sum": 1}}}, {"$match": {"n": {"$ne": 5}}}]})",
                        "single_shard 0"}});
}

/// mongo: target_write_op.cpp at 0479b3d, targetUpdate: the filter's variables are those of
/// `let`, not the constants of the update's pipeline.
TEST(router_tests, constants_are_no_variables_of_the_filter) {
  expect_router_tests(
      R"({"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 10}]})", {"6.0.12", "8.0.4"},
      {{R"({"update": "c", "updates": [{"q": {"a": 5, "$expr": {"$eq": ["$x", "$$v"]}},
               "u": [{"$set": {"x": 1}}], "c": {"v": 1}}]})",
        "unknown", "Location17276"}});
}

}  // namespace
}  // namespace scattergate::routing_tests
