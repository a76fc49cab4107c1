#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// The manual's statements about commands on sharded collections: its pages on mongos, shard
/// keys, missing shard key fields, findAndModify, the optimization of pipelines, and the
/// commands'.
namespace scattergate::routing_tests {
namespace {

/// Everything in three chunks on the shards 0, 1 and 2, but for h: two.
std::shared_ptr<const routing::catalog> manual(std::string_view version = "8.0") {
  return catalog_of(R"({"version": ")" + std::string{version} + R"(", "collections": [
    {"ns": "db.people", "key": {"zipcode": 1, "name": 1},
     "splits": [{"zipcode": 30000}, {"zipcode": 60000}]},
    {"ns": "db.abc", "key": {"a": 1, "b": 1, "c": 1}, "splits": [{"a": 10}, {"a": 20}]},
    {"ns": "db.h", "key": {"x": "hashed"}, "splits": [{"x": {"$numberLong": "0"}}]},
    {"ns": "db.xy", "key": {"x": 1, "y": 1}, "splits": [{"x": "b"}, {"x": "m"}]},
    {"ns": "db.movies", "key": {"year": 1}, "splits": [{"year": 2000}, {"year": 2010}]},
    {"ns": "db.others", "key": {"foo": 1}, "splits": [{"foo": "c"}, {"foo": "m"}]},
    {"ns": "db.en", "key": {"name": 1}, "splits": [{"name": "g"}, {"name": "n"}],
     "collation": {"locale": "en", "strength": 2}},
    {"ns": "db.loc", "key": {"loc": 1, "_id": 1}, "splits": [{"loc": "g"}, {"loc": "n"}]},
    {"ns": "db.plain"}]})");
}

struct manual_row {
  std::string_view command;
  std::string_view where;
};

void expect_manual(std::span<const manual_row> rows) {
  const auto entries = manual();
  for (const manual_row& each : rows) {
    EXPECT_EQ(judged(entries, each.command).where(), each.where) << each.command;
  }
}

TEST(manual, reads) {
  const manual_row rows[] = {
      {R"({"find": "people", "filter": {"zipcode": 63109}})", "single_shard 2"},
      {R"({"find": "people", "filter": {"zipcode": 63109, "name": "x"}})", "single_shard 2"},
      {R"({"find": "people", "filter": {"name": "x"}})", "scatter_gather 0,1,2"},
      {R"({"find": "people", "filter": {"zipcode": {"$gt": 30000}}})", "multi_shard 1,2"},
      {R"({"find": "people", "filter": {}})", "scatter_gather 0,1,2"},
      {R"({"find": "people", "filter": {"zipcode": {"$in": [1, 2]}}, "sort": {"name": 1},
          "limit": 5})",
       "single_shard 0"},
      {R"({"find": "abc", "filter": {"a": 1}})", "single_shard 0"},
      {R"({"find": "abc", "filter": {"a": 1, "b": 1}})", "single_shard 0"},
      {R"({"find": "abc", "filter": {"a": 1, "b": 1, "c": 1}})", "single_shard 0"},
      {R"({"find": "abc", "filter": {"b": 1}})", "scatter_gather 0,1,2"},
      {R"({"find": "abc", "filter": {"b": 1, "c": 1}})", "scatter_gather 0,1,2"},
      {R"({"find": "abc", "filter": {"c": 1}})", "scatter_gather 0,1,2"},
      {R"({"find": "abc", "filter": {"a": 15, "c": 1}})", "single_shard 1"},
      {R"({"count": "abc", "query": {"a": 5}})", "single_shard 0"},
      {R"({"count": "abc"})", "scatter_gather 0,1,2"},
      {R"({"distinct": "abc", "key": "z", "query": {"a": 5}})", "single_shard 0"},
      {R"({"distinct": "abc", "key": "a"})", "scatter_gather 0,1,2"},
      {R"({"find": "h", "filter": {"x": 5}})", "single_shard 1"},
      {R"({"find": "h", "filter": {"x": {"$gt": 5}}})", "scatter_gather 0,1"},
      {R"({"find": "xy", "filter": {"x": "a", "y": null}})", "single_shard 0"},
      {R"({"find": "xy", "filter": {"x": {"$exists": false}}})", "single_shard 0"},
      {R"({"find": "en", "filter": {"name": "bob"}})", "scatter_gather 0,1,2"},
      {R"({"find": "en", "filter": {"name": 5}})", "single_shard 0"},
      {R"({"find": "en", "filter": {"name": "bob"}, "collation": {"locale": "simple"}})",
       "single_shard 0"},
      {R"({"find": "movies", "filter": {"year": 2014}, "collation": {"locale": "fr"}})",
       "single_shard 2"},
      {R"({"mapReduce": "movies", "map": "f", "reduce": "g", "query": {"year": 2014}, "out":
          {"inline": 1}})",
       "single_shard 2"},
      {R"({"mapReduce": "movies", "map": "f", "reduce": "g", "out": "plain"})",
       "scatter_gather 0,1,2"},
  };
  expect_manual(rows);
}

TEST(manual, writes) {
  const manual_row rows[] = {
      {R"({"insert": "abc", "documents": [{"a": 1, "b": 1, "c": 1}]})", "single_shard 0"},
      {R"({"insert": "abc", "documents": [{"a": 1, "b": 1, "c": 1}, {"a": 15, "b": 1, "c":
          1}]})",
       "multi_shard 0,1"},
      {R"({"insert": "abc", "documents": [{"b": 1}]})", "single_shard 0"},
      {R"({"update": "abc", "updates": [{"q": {"a": 1, "b": 1, "c": 1}, "u": {"$set": {"z":
          1}}}]})",
       "single_shard 0"},
      {R"({"update": "abc", "updates": [{"q": {"_id": 5}, "u": {"$set": {"z": 1}}}]})",
       "scatter_gather 0,1,2"},
      {R"({"update": "abc", "updates": [{"q": {"z": 5}, "u": {"$set": {"z": 1}}}]})",
       "scatter_gather 0,1,2"},
      {R"({"update": "abc", "updates": [{"q": {"z": 5}, "u": {"$set": {"z": 1}}, "multi":
          true}]})",
       "scatter_gather 0,1,2"},
      {R"({"update": "abc", "updates": [{"q": {"a": {"$lt": 15}}, "u": {"$set": {"z": 1}},
          "multi": true}]})",
       "multi_shard 0,1"},
      {R"({"delete": "abc", "deletes": [{"q": {"_id": 5}, "limit": 1}]})",
       "scatter_gather 0,1,2"},
      {R"({"delete": "abc", "deletes": [{"q": {"z": 5}, "limit": 0}]})",
       "scatter_gather 0,1,2"},
      {R"({"delete": "abc", "deletes": [{"q": {"a": 5}, "limit": 0}]})", "single_shard 0"},
      {R"({"findAndModify": "abc", "query": {"a": 1, "b": 1, "c": 1}, "update": {"$set":
          {"z": 1}}})",
       "single_shard 0"},
      {R"({"findAndModify": "abc", "query": {"_id": 1}, "update": {"$set": {"z": 1}}})",
       "scatter_gather 0,1,2"},
      {R"({"findAndModify": "abc", "query": {"a": 15}, "update": {"$set": {"z": 1}}})",
       "single_shard 1"},
      {R"({"findAndModify": "abc", "query": {"a": 1, "b": 1, "c": 1}, "update": {"$set":
          {"z": 1}}, "upsert": true})",
       "single_shard 0"},
      {R"({"insert": "xy", "documents": [{"x": "a"}]})", "single_shard 0"},
      {R"({"update": "xy", "updates": [{"q": {"_id": 1, "x": null}, "u": {"$set": {"x": 1}}}]})",
       "single_shard 0"},
      {R"({"bulkWrite": 1, "ops": [{"insert": 0, "document": {"a": 1, "b": 1, "c": 1}},
          {"update": 1, "filter": {"year": 2014}, "updateMods": {"$set": {"z": 1}}},
          {"delete": 1, "filter": {"z": 1}, "multi": true}], "nsInfo": [{"ns": "db.abc"},
          {"ns": "db.movies"}], "$db": "admin"})",
       "scatter_gather 0,1,2"},
      {R"({"update": "loc", "updates": [{"q": {"_id": 1, "loc": "a"}, "u": {"$set": {"loc":
          "b"}}}]})",
       "single_shard 0"},
      {R"({"update": "xy", "updates": [{"q": {"x": "a", "y": 1}, "u": {"x": "z", "y": 1}}]})",
       "single_shard 0"},
  };
  expect_manual(rows);
}

TEST(manual, aggregations) {
  const manual_row rows[] = {
      {R"({"aggregate": "movies", "pipeline": [{"$addFields": {"maxTime": {"$max": "$times"},
          "minTime": {"$min": "$times"}}}, {"$project": {"_id": 1, "name": 1, "times": 1,
          "maxTime": 1, "minTime": 1, "avgTime": {"$avg": ["$maxTime", "$minTime"]}, "year":
          1}}, {"$match": {"name": "Joe Schmoe", "maxTime": {"$lt": 20}, "minTime": {"$gt":
          5}, "avgTime": {"$gt": 7}, "year": 2014}}], "cursor": {}})",
       "single_shard 2"},
      {R"({"aggregate": "movies", "pipeline": [{"$sort": {"age": -1}}, {"$match": {"year":
          2014}}], "cursor": {}})",
       "single_shard 2"},
      {R"({"aggregate": "movies", "pipeline": [{"$redact": {"$cond": {"if": {"$eq":
          ["$level", 5]}, "then": "$$PRUNE", "else": "$$DESCEND"}}}, {"$match": {"year":
          2014, "category": {"$ne": "Z"}}}], "cursor": {}})",
       "single_shard 2"},
      {R"({"aggregate": "movies", "pipeline": [{"$match": {"year": 2014}}, {"$match":
          {"status": "A"}}], "cursor": {}})",
       "single_shard 2"},
      {R"({"aggregate": "movies", "pipeline": [{"$sort": {"age": -1}}, {"$limit": 5},
          {"$match": {"year": 2014}}], "cursor": {}})",
       "scatter_gather 0,1,2"},
      {R"({"aggregate": "plain", "pipeline": [{"$lookup": {"from": "others", "as": "r",
          "localField": "x", "foreignField": "y"}}, {"$unwind": "$r"}, {"$match": {"r.foo":
          "bar"}}], "cursor": {}})",
       "single_shard 0"},
      {R"({"aggregate": "movies", "pipeline": [{"$match": {"year": 2014}}, {"$lookup":
          {"from": "others", "as": "r", "localField": "x", "foreignField": "foo"}}],
          "cursor": {}})",
       "multi_shard 0,1,2"},
      {R"({"aggregate": "movies", "pipeline": [{"$match": {"year": 2014}}, {"$unionWith":
          {"coll": "others", "pipeline": [{"$match": {"foo": "a"}}]}}], "cursor": {}})",
       "multi_shard 0,2"},
      {R"({"aggregate": "movies", "pipeline": [{"$match": {"year": 2014}}, {"$out":
          "plain"}], "cursor": {}})",
       "single_shard 2"},
      {R"({"aggregate": "movies", "pipeline": [{"$match": {"year": 2014}}, {"$merge":
          {"into": "others"}}], "cursor": {}})",
       "multi_shard 0,1,2"},
      {R"({"aggregate": "movies", "pipeline": [{"$bucket": {"groupBy": "$year", "boundaries":
          [1, 2]}}], "cursor": {}})",
       "scatter_gather 0,1,2"},
      {R"({"aggregate": "movies", "pipeline": [{"$facet": {"a": [{"$match": {"year":
          2014}}]}}], "cursor": {}})",
       "scatter_gather 0,1,2"},
      {R"({"aggregate": "movies", "pipeline": [{"$changeStream": {}}], "cursor": {}})",
       "scatter_gather 0,1,2"},
      {R"({"aggregate": "movies", "pipeline": [{"$collStats": {"count": {}}}], "cursor": {}})",
       "scatter_gather 0,1,2"},
      {R"({"aggregate": "movies", "pipeline": [{"$indexStats": {}}], "cursor": {}})",
       "scatter_gather 0,1,2"},
      {R"({"aggregate": 1, "pipeline": [{"$currentOp": {}}], "cursor": {}, "$db": "admin"})",
       "not_routed"},
      {R"({"aggregate": 1, "pipeline": [{"$listLocalSessions": {}}], "cursor": {}, "$db":
          "admin"})",
       "not_routed"},
      {R"({"aggregate": 1, "pipeline": [{"$changeStream": {}}], "cursor": {}, "$db": "db"})",
       "scatter_gather 0,1,2"},
  };
  expect_manual(rows);
}

TEST(manual, other_commands) {
  const manual_row rows[] = {
      {R"({"explain": {"find": "movies", "filter": {"year": 2014}}, "verbosity":
          "queryPlanner"})",
       "single_shard 2"},
      {R"({"explain": {"aggregate": "movies", "pipeline": [{"$match": {"year": 2014}}],
          "cursor": {}}})",
       "single_shard 2"},
      {R"({"explain": {"update": "movies", "updates": [{"q": {"year": 2014}, "u": {"$set":
          {"z": 1}}}]}})",
       "single_shard 2"},
      {R"({"explain": {"count": "movies"}})", "scatter_gather 0,1,2"},
      {R"({"explain": {"distinct": "movies", "key": "x"}})", "scatter_gather 0,1,2"},
      {R"({"explain": {"findAndModify": "movies", "query": {"year": 2014}, "update": {"$set":
          {"z": 1}}}})",
       "single_shard 2"},
      {R"({"explain": {"delete": "movies", "deletes": [{"q": {"z": 1}, "limit": 0}]}})",
       "scatter_gather 0,1,2"},
      {R"({"createIndexes": "movies", "indexes": [{"key": {"z": 1}, "name": "z"}]})",
       "scatter_gather 0,1,2"},
      {R"({"dropIndexes": "movies", "index": "*"})", "scatter_gather 0,1,2"},
      {R"({"listIndexes": "movies"})", "single_shard 0"},
      {R"({"collMod": "movies"})", "scatter_gather 0,1,2"},
      {R"({"collStats": "movies"})", "scatter_gather 0,1,2"},
      {R"({"validate": "movies"})", "scatter_gather 0,1,2"},
      {R"({"drop": "movies"})", "scatter_gather 0,1,2"},
      {R"({"renameCollection": "db.movies", "to": "db.m2", "$db": "admin"})",
       "scatter_gather 0,1,2"},
      {R"({"dataSize": "db.movies", "$db": "db"})", "scatter_gather 0,1,2"},
      {R"({"createIndexes": "plain", "indexes": [{"key": {"z": 1}, "name": "z"}]})",
       "unsharded"},
      {R"({"getMore": {"$numberLong": "5"}, "collection": "movies"})", "unknown"},
      {R"({"killCursors": "movies", "cursors": []})", "unknown"},
      {R"({"frobnicate": "movies"})", "unknown"},
      {R"({"shardCollection": "db.movies", "key": {"year": 1}, "$db": "admin"})", "not_routed"},
      {R"({"refineCollectionShardKey": "db.movies", "key": {"year": 1, "a": 1}, "$db":
          "admin"})",
       "not_routed"},
      {R"({"listCollections": 1})", "not_routed"},
      {R"({"dbStats": 1})", "not_routed"},
      {R"({"serverStatus": 1, "$db": "admin"})", "not_routed"},
      {R"({"endSessions": [], "$db": "admin"})", "not_routed"},
      {R"({"currentOp": 1, "$db": "admin"})", "not_routed"},
  };
  expect_manual(rows);
}

TEST(manual, writes_without_the_key_before_two_phase_writes) {
  struct refused_row {
    std::string_view command;
    std::string_view where;
    std::string_view refused;
  };
  const refused_row rows[] = {
      {R"({"update": "abc", "updates": [{"q": {"z": 5}, "u": {"$set": {"z": 1}}}]})",
       "scatter_gather 0,1,2", "InvalidOptions"},
      {R"({"update": "abc", "updates": [{"q": {"_id": 5}, "u": {"$set": {"z": 1}}}]})",
       "scatter_gather 0,1,2", ""},
      {R"({"update": "abc", "updates": [{"q": {"a": 15}, "u": {"$set": {"z": 1}}}]})",
       "single_shard 1", ""},
      {R"({"update": "abc", "updates": [{"q": {"a": 15}, "u": {"$set": {"z": 1}},
           "upsert": true}]})",
       "single_shard 1", "ShardKeyNotFound"},
      {R"({"delete": "abc", "deletes": [{"q": {"z": 5}, "limit": 1}]})", "scatter_gather 0,1,2",
       "ShardKeyNotFound"},
      {R"({"findAndModify": "abc", "query": {"a": 15}, "update": {"$set": {"z": 1}}})",
       "single_shard 1", "ShardKeyNotFound"},
      {R"({"findAndModify": "abc", "query": {"_id": 1}, "remove": true})",
       "scatter_gather 0,1,2", "ShardKeyNotFound"},
  };
  for (const std::string_view version : {"4.4", "5.0.0", "6.0.0", "7.0.0", "8.0"}) {
    const auto entries = manual(version);
    for (const refused_row& each : rows) {
      const judged found{entries, each.command};
      EXPECT_EQ(found.where(), each.where) << version << ' ' << each.command;
      const std::string_view refused = version == "8.0" ? "" : each.refused;
      EXPECT_EQ(label(found.verdict().refused), refused) << version << ' ' << each.command;
    }
  }
}

}  // namespace
}  // namespace scattergate::routing_tests
