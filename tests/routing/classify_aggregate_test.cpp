#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

namespace scattergate::routing_tests {
namespace {

/// docs: {p: 1} in three chunks; events: {d: "hashed"} in two; pairs: {p: 1, q: 1}; local: not
/// sharded; viewed: a view on docs; series: time series.
std::shared_ptr<const routing::catalog> shop() {
  return catalog_of(R"({"collections": [
    {"ns": "db.docs", "key": {"p": 1}, "splits": [{"p": 10}, {"p": 20}]},
    {"ns": "db.events", "key": {"d": "hashed"}, "splits": [{"d": {"$numberLong": "0"}}],
     "shards": ["0", "1"]},
    {"ns": "db.pairs", "key": {"p": 1, "q": 1}, "splits": [{"p": 10}]},
    {"ns": "db.local"},
    {"ns": "db.viewed", "viewOn": "docs", "pipeline": [{"$match": {"p": 5}}]},
    {"ns": "db.shaped", "viewOn": "viewed", "pipeline": [{"$project": {"x": 1, "p": 1}}]},
    {"ns": "db.series", "key": {"m": 1}, "timeSeries": true}]})");
}

struct docs_row {
  std::string_view pipeline;
  std::string_view where;
};

void expect_docs(std::initializer_list<docs_row> rows) {
  const auto entries = shop();
  for (const docs_row& each : rows) {
    const std::string command = R"({"aggregate": "docs", "cursor": {}, "pipeline": )" +
                                std::string{each.pipeline} + "}";
    EXPECT_EQ(judged(entries, command).where(), each.where) << each.pipeline;
  }
}

TEST(classify_aggregate, a_match_at_the_head_is_a_filter) {
  expect_docs(
      {{R"([{"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$match": {"p": 5}}, {"$group": {"_id": "$x"}}])", "single_shard 0"},
       {R"([{"$match": {"x": 1}}, {"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$match": {"p": {"$gt": 5}}}, {"$match": {"p": {"$lt": 9}}}])", "single_shard 0"},
       {R"([])", "scatter_gather 0,1,2"},
       {R"([{"$group": {"_id": "$p"}}])", "scatter_gather 0,1,2"}});
}

TEST(classify_aggregate, a_match_passes_stages_that_leave_its_fields_alone) {
  expect_docs(
      {{R"([{"$sort": {"x": 1}}, {"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$project": {"p": 1}}, {"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$project": {"x": 0}}, {"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$addFields": {"x": 1}}, {"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$set": {"x": 1}}, {"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$unset": "x"}, {"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$unset": ["x", "y"]}, {"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$unwind": "$x"}, {"$match": {"p": 5}}])", "single_shard 0"},
       {R"([{"$unwind": {"path": "$x"}}, {"$match": {"p": 5, "x": 1}}])", "single_shard 0"},
       {R"([{"$addFields": {"x": 1}}, {"$match": {"$and": [{"x": 2}, {"p": 5}]}}])",
        "single_shard 0"}});
}

TEST(classify_aggregate, a_match_stops_at_stages_that_change_its_fields) {
  expect_docs({{R"([{"$limit": 5}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"},
               {R"([{"$sort": {"x": 1}}, {"$limit": 5}, {"$match": {"p": 5}}])",
                "scatter_gather 0,1,2"},
               {R"([{"$skip": 5}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"},
               {R"([{"$group": {"_id": "$p"}}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"},
               {R"([{"$project": {"x": 1}}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"},
               {R"([{"$project": {"p": 0}}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"},
               {R"([{"$project": {"p": "$x"}}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"},
               {R"([{"$addFields": {"p": 1}}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"},
               {R"([{"$unset": "p"}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"},
               {R"([{"$unwind": "$p"}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"},
               {R"([{"$addFields": {"x": 1}}, {"$match": {"$or": [{"x": 2}, {"p": 5}]}}])",
                "scatter_gather 0,1,2"},
               {R"([{"$replaceRoot": {"newRoot": "$x"}}, {"$match": {"p": 5}}])",
                "scatter_gather 0,1,2"}});
}

TEST(classify_aggregate, says_when_no_match_leads) {
  const auto why = [](std::string_view pipeline) {
    return judged(shop(), R"({"aggregate": "docs", "pipeline": )" + std::string{pipeline} + "}")
        .why();
  };
  EXPECT_EQ(why("[]"), "scatter_gather no_leading_match");
  EXPECT_EQ(why(R"([{"$limit": 1}, {"$match": {"p": 5}}])"), "scatter_gather no_leading_match");
  EXPECT_EQ(why(R"([{"$match": {"x": 5}}])"), "scatter_gather missing_key");
}

TEST(classify_aggregate, let_counts_where_it_is_constant) {
  const auto where = [](std::string_view let) {
    return judged(shop(),
                  R"({"aggregate": "docs", "let": )" + std::string{let} +
                      R"(, "pipeline": [{"$match": {"$expr": {"$eq": ["$p", "$$v"]}}}]})")
        .where();
  };
  EXPECT_EQ(where(R"({"v": 5})"), "single_shard 0");
  EXPECT_EQ(where(R"({"v": {"$literal": 15}})"), "single_shard 1");
  EXPECT_EQ(where(R"({"v": {"$add": [10, 5]}})"), "single_shard 1");
  EXPECT_EQ(where(R"({"v": "$$NOW"})"), "single_shard 2");  // where all dates are
  EXPECT_EQ(where(R"({"v": {"$add": ["$p", 5]}})"), "scatter_gather 0,1,2");
  EXPECT_EQ(where(R"({"w": 5})"), "unknown");  // refused
}

TEST(classify_aggregate, the_query_of_a_leading_geo_near_is_a_filter) {
  expect_docs(
      {{R"([{"$geoNear": {"near": [0, 0], "query": {"p": 5}}}])", "single_shard 0"},
       {R"([{"$geoNear": {"near": [0, 0]}}])", "scatter_gather 0,1,2"},
       {R"([{"$geoNear": {"near": [0, 0]}}, {"$match": {"p": 5}}])", "scatter_gather 0,1,2"}});
}

TEST(classify_aggregate, some_stages_ask_everybody_by_nature) {
  for (const std::string_view stage :
       {R"({"$changeStream": {}})", R"({"$collStats": {}})", R"({"$indexStats": {}})"}) {
    const judged found{shop(), R"({"aggregate": "docs", "pipeline": [)" + std::string{stage} +
                                   R"(, {"$match": {"p": 5}}]})"};
    EXPECT_EQ(found.why(), "scatter_gather by_nature") << stage;
    EXPECT_FALSE(found.verdict().is_scatter_on_sharded()) << stage;
  }
  for (const std::string_view stage : {R"({"$collStats": {}})", R"({"$indexStats": {}})"}) {
    EXPECT_EQ(
        judged(shop(), R"({"aggregate": "local", "pipeline": [)" + std::string{stage} + "]}")
            .where(),
        "unsharded")
        << stage;
  }
}

// mongo: sharded_agg_helpers.cpp, mustRunOnAllShards.
TEST(classify_aggregate, a_change_stream_listens_on_every_shard_of_the_cluster) {
  const judged local{shop(), R"({"aggregate": "local", "pipeline": [{"$changeStream": {}}]})"};
  EXPECT_EQ(local.where(), "scatter_gather 0,1,2");
  EXPECT_EQ(local.why(), "scatter_gather by_nature");
  EXPECT_FALSE(local.verdict().is_scatter_on_sharded());
  const auto entries = catalog_of(R"({"collections": [
      {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}], "shards": ["0", "1"]},
      {"ns": "db.d", "key": {"p": 1}, "splits": [], "shards": ["2"]}]})");
  const judged sharded{entries, R"({"aggregate": "c", "pipeline": [{"$changeStream": {}}]})"};
  EXPECT_EQ(sharded.where(), "scatter_gather 0,1");
  EXPECT_EQ(names_of(sharded.verdict().sent_to, *entries), "0,1,2");
}

struct foreign_row {
  std::string_view stage;
  std::string_view why;
  std::string_view judged_on;
};

TEST(classify_aggregate, joined_collections_are_judged_by_their_own_keys) {
  const foreign_row rows[] = {
      {R"({"$lookup": {"from": "local", "localField": "x", "foreignField": "y", "as": "z"}})",
       "single_shard ", "docs"},
      {R"({"$lookup": {"from": "events", "localField": "x", "foreignField": "d", "as": "z"}})",
       "multi_shard many_values", "events"},
      {R"({"$lookup": {"from": "events", "localField": "x", "foreignField": "y", "as": "z"}})",
       "scatter_gather foreign_scatter", "events"},
      {R"({"$lookup": {"from": "pairs", "localField": "x", "foreignField": "p", "as": "z"}})",
       "multi_shard many_values", "pairs"},
      {R"({"$lookup": {"from": "pairs", "localField": "x", "foreignField": "q", "as": "z"}})",
       "scatter_gather foreign_scatter", "pairs"},
      {R"({"$lookup": {"from": "events", "as": "z", "pipeline": [{"$match": {"d": 1}}]}})",
       "single_shard ", "docs"},
      {R"({"$lookup": {"from": "events", "as": "z", "let": {"v": "$x"},
           "pipeline": [{"$match": {"$expr": {"$eq": ["$d", "$$v"]}}}]}})",
       "multi_shard many_values", "events"},
      {R"({"$lookup": {"from": "events", "as": "z", "pipeline": []}})",
       "scatter_gather foreign_scatter", "events"},
      {R"({"$graphLookup": {"from": "events", "startWith": "$x", "connectFromField": "x",
           "connectToField": "d", "as": "z"}})",
       "multi_shard many_values", "events"},
      {R"({"$graphLookup": {"from": "events", "startWith": "$x", "connectFromField": "x",
           "connectToField": "y", "as": "z"}})",
       "scatter_gather foreign_scatter", "events"},
      {R"({"$unionWith": "events"})", "scatter_gather foreign_scatter", "events"},
      {R"({"$unionWith": {"coll": "events", "pipeline": [{"$match": {"d": 1}}]}})",
       "single_shard ", "docs"},
      {R"({"$unionWith": "local"})", "single_shard ", "docs"},
      {R"({"$facet": {"f": [{"$lookup": {"from": "events", "as": "z", "pipeline": []}}]}})",
       "scatter_gather foreign_scatter", "events"},
      {R"({"$lookup": {"from": "local", "as": "z", "pipeline": [
           {"$lookup": {"from": "events", "as": "y", "pipeline": []}}]}})",
       "scatter_gather foreign_scatter", "events"},
      {R"({"$merge": "local"})", "single_shard ", "docs"},
      {R"({"$merge": {"into": "pairs"}})", "multi_shard many_values", "pairs"},
      {R"({"$merge": {"into": "pairs", "on": "_id"}})", "scatter_gather foreign_scatter",
       "pairs"},
      {R"({"$out": "local"})", "single_shard ", "docs"},
  };
  for (const foreign_row& each : rows) {
    const judged found{shop(), R"({"aggregate": "docs", "pipeline": [{"$match": {"p": 5}}, )" +
                                   std::string{each.stage} + "]}"};
    // One chunk each on shards 0 and 1 may unite to more than one shard.
    const std::string why = found.why();
    if (each.why == "single_shard ") {
      EXPECT_TRUE(why == each.why || why == "multi_shard many_values") << each.stage << why;
    } else {
      EXPECT_EQ(why, each.why) << each.stage;
      ASSERT_NE(found.verdict().judged, nullptr);
      EXPECT_EQ(found.verdict().judged->name, each.judged_on) << each.stage;
    }
    EXPECT_EQ(found.verdict().collection, "docs") << each.stage;
  }
}

TEST(classify_aggregate, out_to_a_sharded_collection_is_refused) {
  const judged found{shop(), R"({"aggregate": "local", "pipeline": [{"$out": "docs"}]})"};
  EXPECT_EQ(found.verdict().refused, routing::refusal::foreign_cannot_be_sharded);
}

// mongo: lite_parsed_pipeline.cpp, verifyIsSupported; jstests/sharding/
// out_fails_to_replace_sharded_collection.js; the manual's pages of $lookup and $graphLookup.
TEST(classify_aggregate, joins_of_sharded_collections_are_refused_by_version) {
  constexpr std::string_view world = R"(, "collections": [{"ns": "db.l"},
      {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}]},
      {"ns": "db.over_c", "viewOn": "c", "pipeline": []},
      {"ns": "db.joining", "viewOn": "l", "pipeline": [{"$lookup": {"from": "c", "as": "z",
          "localField": "x", "foreignField": "p"}}]}]})";
  const auto refusal_in = [&](std::string_view version, std::string_view command) {
    const auto entries =
        catalog_of(R"({"version": ")" + std::string{version} + '"' + std::string{world});
    return std::string{routing::label(judged(entries, command).verdict().refused)};
  };
  constexpr std::string_view join = R"({"$lookup": {"from": "c", "as": "z", "localField": "x",
      "foreignField": "p"}})";
  const auto on = [](std::string_view collection, std::string_view stage) {
    return R"({"aggregate": ")" + std::string{collection} + R"(", "pipeline": [)" +
           std::string{stage} + R"(], "cursor": {}})";
  };
  constexpr std::string_view sharded = "Location28769";
  for (const std::string_view version : {"4.4", "5.0"}) {
    EXPECT_EQ(refusal_in(version, on("l", join)), sharded) << version;
    EXPECT_EQ(refusal_in(version, on("c", join)), sharded) << version;
    EXPECT_EQ(refusal_in(version, on("l", R"({"$graphLookup": {"from": "c", "startWith": "$x",
        "connectFromField": "x", "connectToField": "p", "as": "z"}})")),
              sharded);
    EXPECT_EQ(refusal_in(version, on("l", R"({"$facet": {"f": [)" + std::string{join} + "]}}")),
              sharded);
    EXPECT_EQ(refusal_in(version, on("l", R"({"$unionWith": {"coll": "l", "pipeline": [)" +
                                              std::string{join} + "]}}")),
              sharded);
    EXPECT_EQ(refusal_in(version, on("joining", R"({"$match": {}})")), sharded);
    // It asks of the names that it reads, and knows of no views.
    EXPECT_EQ(refusal_in(version, on("l", R"({"$lookup": {"from": "over_c", "as": "z",
        "pipeline": []}})")),
              "");
    EXPECT_EQ(refusal_in(version, on("l", R"({"$unionWith": "c"})")), "");
  }
  EXPECT_EQ(refusal_in("5.1", on("l", join)), "");
  const std::string in_transaction =
      R"({"aggregate": "l", "pipeline": [)" + std::string{join} +
      R"(], "cursor": {}, "txnNumber": {"$numberLong": "1"}, "autocommit": false})";
  EXPECT_EQ(refusal_in("7.0", in_transaction), sharded);
  EXPECT_EQ(refusal_in("8.0", in_transaction), "");
}

TEST(classify_aggregate, an_unsharded_source_is_as_bad_as_what_it_joins) {
  EXPECT_EQ(judged(shop(), R"({"aggregate": "local", "pipeline": [
                {"$lookup": {"from": "docs", "as": "z", "pipeline": []}}]})")
                .where(),
            "scatter_gather 0,1,2");
  EXPECT_EQ(judged(shop(), R"({"aggregate": "local", "pipeline": []})").where(), "unsharded");
}

TEST(classify_aggregate, without_a_collection_only_joins_count) {
  EXPECT_EQ(judged(shop(), R"({"aggregate": 1, "pipeline": [{"$currentOp": {}}]})").where(),
            "not_routed");
  EXPECT_EQ(judged(shop(), R"({"aggregate": 1, "pipeline": [{"$documents": []},
                {"$lookup": {"from": "docs", "as": "z", "pipeline": []}}]})")
                .why(),
            "scatter_gather foreign_scatter");
}

TEST(classify_aggregate, views_resolve_to_their_collection) {
  const auto where = [](std::string_view command) { return judged(shop(), command).where(); };
  EXPECT_EQ(where(R"({"aggregate": "viewed", "pipeline": []})"), "single_shard 0");
  EXPECT_EQ(where(R"({"aggregate": "shaped", "pipeline": []})"), "single_shard 0");
  EXPECT_EQ(where(R"({"find": "viewed", "filter": {"x": 1}})"), "single_shard 0");
  EXPECT_EQ(where(R"({"count": "shaped", "query": {"x": 1}})"), "single_shard 0");
  EXPECT_EQ(judged(shop(), R"({"find": "viewed"})").verdict().collection, "viewed");
}

TEST(classify_aggregate, a_join_with_a_view_looks_behind_its_stages) {
  const auto entries = catalog_of(R"({"collections": [{"ns": "db.local"},
    {"ns": "db.docs", "key": {"p": 1}, "splits": [{"p": 10}, {"p": 20}]},
    {"ns": "db.plainly", "viewOn": "docs", "pipeline": []},
    {"ns": "db.renamed", "viewOn": "docs", "pipeline": [{"$project": {"y": "$p"}}]},
    {"ns": "db.limited", "viewOn": "docs", "pipeline": [{"$limit": 5}]}]})");
  const docs_row rows[] = {
      {R"("from": "plainly", "foreignField": "p")", "multi_shard 0,1,2"},
      {R"("from": "renamed", "foreignField": "y")", "multi_shard 0,1,2"},
      {R"("from": "renamed", "foreignField": "p")", "scatter_gather 0,1,2"},
      {R"("from": "limited", "foreignField": "p")", "scatter_gather 0,1,2"}};
  for (const docs_row& each : rows) {
    const std::string command = R"({"aggregate": "local", "pipeline": [{"$lookup": {"as": "z",
        "localField": "x", )" + std::string{each.pipeline} +
                                "}}]}";
    EXPECT_EQ(judged(entries, command).where(), each.where) << each.pipeline;
  }
}

TEST(classify_aggregate, time_series_are_unknown) {
  EXPECT_EQ(judged(shop(), R"({"aggregate": "series", "pipeline": []})").why(),
            "unknown time_series");
  EXPECT_EQ(judged(shop(), R"({"find": "series"})").why(), "unknown time_series");
  const auto buckets = catalog_of(R"({"collections": [
    {"ns": "db.system.buckets.weather", "key": {"meta": 1}},
    {"ns": "db.seen", "viewOn": "system.buckets.weather", "pipeline": []}]})");
  for (const std::string_view name : {"weather", "system.buckets.weather", "seen"}) {
    for (const std::string_view command :
         {R"({"find": "@"})", R"({"insert": "@", "documents": [{"meta": 1}]})",
          R"({"aggregate": "@", "pipeline": []})", R"({"dropIndexes": "@", "index": "x"})",
          R"({"delete": "@", "deletes": [{"q": {}, "limit": 0}]})",
          R"({"aggregate": "other", "pipeline": [{"$unionWith": "@"}]})"}) {
      std::string text{command};
      text.replace(text.find('@'), 1, name);
      if (name == "seen" && text.find("aggregate\"") == std::string::npos &&
          text.find("find") == std::string::npos) {
        continue;  // a view can't be written to
      }
      EXPECT_EQ(judged(buckets, text).why(), "unknown time_series") << text;
    }
  }
  EXPECT_EQ(judged(buckets, R"({"find": "climate"})").where(), "unsharded");
}

// mongo: pipeline/search/document_source_list_search_indexes.cpp, constraints: kLocalOnly.
TEST(classify_aggregate, search_indexes_are_listed_by_mongos_itself) {
  const auto entries = catalog_of(R"({"a": 1})", R"([{"a": 0}])");
  EXPECT_EQ(judged(entries, R"({"aggregate": "c", "cursor": {},
      "pipeline": [{"$listSearchIndexes": {}}]})")
                .verdict()
                .routing,
            routing::routing_class::not_routed);
  EXPECT_EQ(judged(entries, R"({"aggregate": "c", "cursor": {},
      "pipeline": [{"$search": {"text": {}}}, {"$match": {"a": 5}}]})")
                .where(),
            "scatter_gather 0,1");
}

}  // namespace
}  // namespace scattergate::routing_tests
