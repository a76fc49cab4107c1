#include "tests/routing/command_rows.hpp"

/// Commands whose targets are read from mongos's sources; each test names file and commit, or
/// the release. db.c has the key {p: 1} and the chunks p < 10, p < 20 and the rest; db.u isn't
/// sharded.
namespace scattergate::routing_tests {
namespace {

void expect_router_sources(std::initializer_list<command_row> rows,
                           std::initializer_list<std::string_view> versions) {
  for (const std::string_view version : versions) {
    SCOPED_TRACE(version);
    expect_commands(catalog_of(R"({"p": 1})", R"([{"p": 10}, {"p": 20}])", version), rows);
  }
}

/// mongo: document_source_rank_fusion.cpp at 012c6013a20f, buildFirstPipelineStages,
/// buildUnionWithPipeline: one pipeline leads, the others are a $unionWith each.
TEST(router_sources, fused_pipelines_go_by_the_match_at_their_heads) {
  expect_router_sources(
      {
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$rankFusion": {"input":
               {"pipelines": {"a": [{"$match": {"p": 15}}, {"$sort": {"x": 1}}]}}}}]})",
           "single_shard 1"},
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$rankFusion": {"input":
               {"pipelines": {"a": [{"$match": {"p": 15}}, {"$sort": {"x": 1}}],
                              "b": [{"$match": {"p": 5}}, {"$sort": {"y": 1}}]}}}}]})",
           "multi_shard 0,1"},
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$rankFusion": {"input":
               {"pipelines": {"a": [{"$match": {"p": 15}}, {"$sort": {"x": 1}}],
                              "b": [{"$search": {}}]}}}}]})",
           all_shards},
          // The following stages come after a $group.
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$rankFusion": {"input":
               {"pipelines": {"a": [{"$sort": {"x": 1}}]}}}}, {"$match": {"p": 15}}]})",
           all_shards},
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$scoreFusion": {"input":
               {"pipelines": {"a": [{"$match": {"p": 25}}, {"$score": {"score": 1}}]},
                "normalization": "none"}}}]})",
           "single_shard 2"},
      },
      {"8.1", "8.2", "9.0"});
}

/// mongo: db/pipeline/search/document_source_internal_search_mongot_remote.h and
/// document_source_vector_search.h: first stages that no $match passes, and whose own filter
/// mongot reads.
TEST(router_sources, search_stages_ask_every_owner) {
  expect_router_sources(
      {
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [
               {"$search": {"text": {"query": "a", "path": "x"}}}, {"$match": {"p": 15}}]})",
           all_shards},
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [
               {"$vectorSearch": {"index": "i", "path": "x", "filter": {"p": 15}}}]})",
           all_shards},
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [
               {"$searchMeta": {"count": {"type": "total"}}}]})",
           all_shards},
      },
      {"7.0.12", "8.0", "8.2"});
}

constexpr std::string_view join = R"({"aggregate": "u", "cursor": {}, "pipeline": [
    {"$lookup": {"from": "c", "localField": "x", "foreignField": "p", "as": "z"}}]})";
constexpr std::string_view graph = R"({"aggregate": "u", "cursor": {}, "pipeline": [
    {"$graphLookup": {"from": "c", "startWith": "$x", "connectFromField": "y",
                      "connectToField": "p", "as": "z"}}]})";

/// mongo: lite_parsed_document_source.h, allowShardedForeignCollection; 5.1 is the first that
/// joins sharded collections.
TEST(router_sources, joins_into_sharded_collections_are_refused_before_5_1) {
  expect_router_sources(
      {{join, "unsharded", "Location28769"}, {graph, "unsharded", "Location28769"}},
      {"4.4.0", "5.0.31"});
  expect_router_sources({{join, "multi_shard 0,1,2"}, {graph, "multi_shard 0,1,2"}},
                        {"5.1", "6.0.12", "7.0.12", "8.0", "8.2"});
}

/// mongo: document_source_out.cpp and document_source_merge.cpp of all these releases: $out
/// replaces no sharded collection, $merge writes each document by its own key.
TEST(router_sources, outputs_into_sharded_collections) {
  constexpr std::string_view out =
      R"({"aggregate": "u", "cursor": {}, "pipeline": [{"$out": "c"}]})";
  expect_router_sources({{out, "unsharded", "Location28769"}},
                        {"4.4.0", "5.0.31", "6.0.12", "7.0.12"});
  expect_router_sources({{out, "unsharded", "NamespaceCannotBeSharded"}},
                        {"8.0", "8.1", "8.2", "9.0"});
  expect_router_sources(
      {{R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$match": {"p": 15}},
               {"$out": "u"}]})",
        "single_shard 1"},
       {R"({"aggregate": "u", "cursor": {}, "pipeline": [{"$merge": {"into": "c"}}]})",
        "multi_shard 0,1,2"}},
      {"4.4.0", "5.0.31", "6.0.12", "7.0.12", "8.0", "8.2"});
}

/// mongo: s/catalog_cache, ChunkManager::isSharded of 8.0: a collection that is tracked but
/// unsplittable is on one shard, wherever moveCollection has put it.
TEST(router_sources, a_moved_collection_is_on_one_shard) {
  const auto entries = catalog_of(R"({"version": "8.0", "collections": [
      {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}, {"p": 20}]}, {"ns": "db.moved"}]})");
  EXPECT_EQ(judged(entries, R"({"find": "moved", "filter": {"x": 1}})").where(), "unsharded");
  EXPECT_EQ(judged(entries, R"({"aggregate": "c", "cursor": {}, "pipeline": [
                {"$match": {"p": 15}}, {"$lookup": {"from": "moved", "localField": "x",
                 "foreignField": "y", "as": "z"}}]})")
                .where(),
            "single_shard 1");
}

/// mongo at 0479b3d30874: catalog/config shards are shards by the name "config".
TEST(router_sources, a_config_shard_is_asked_like_any) {
  const auto entries = catalog_of(R"({"version": "8.0", "collections": [
      {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}], "shards": ["config", "a"]}]})");
  EXPECT_EQ(judged(entries, R"({"find": "c", "filter": {"p": 5}})").where(),
            "single_shard config");
  EXPECT_EQ(judged(entries, R"({"find": "c", "filter": {}})").where(),
            "scatter_gather a,config");
}

/// mongo at 02e99b9: cluster_create_indexes_cmd.cpp and cluster_coll_stats_cmd.cpp go by the
/// routing table with an empty query; cluster_drop_collection_cmd.cpp,
/// cluster_drop_indexes_cmd.cpp and cluster_collection_mod_cmd.cpp to the primary shard, which
/// goes to the others. cluster_list_indexes_cmd.cpp at 274cb47 to the first chunk's owner.
TEST(router_sources, a_definition_concerns_each_owner) {
  expect_router_sources(
      {{R"({"createIndexes": "c", "indexes": [{"key": {"x": 1}, "name": "x"}]})", all_shards},
       {R"({"dropIndexes": "c", "index": "x"})", all_shards},
       {R"({"collMod": "c", "validator": {}})", all_shards},
       {R"({"drop": "c"})", all_shards},
       {R"({"renameCollection": "db.c", "to": "db.d", "$db": "admin"})", all_shards},
       {R"({"collStats": "c"})", all_shards},
       {R"({"validate": "c"})", all_shards},
       {R"({"dataSize": "db.c"})", all_shards},
       {R"({"planCacheClear": "c"})", all_shards},
       {R"({"listIndexes": "c"})", "single_shard 0"},
       {R"({"createIndexes": "u", "indexes": []})", "unsharded"},
       {R"({"drop": "u"})", "unsharded"},
       {R"({"dropDatabase": 1})", "not_routed"},
       {R"({"refineCollectionShardKey": "db.c", "key": {"p": 1, "q": 1}})", "not_routed"},
       {R"({"reshardCollection": "db.c", "key": {"q": 1}})", "not_routed"},
       {R"({"moveCollection": "db.u", "toShard": "1"})", "not_routed"},
       {R"({"unshardCollection": "db.c"})", "not_routed"}},
      {"6.0.12", "7.0.12", "8.0", "8.2", "9.0"});
}

constexpr std::string_view stats_of_view =
    R"({"aggregate": "v", "cursor": {}, "pipeline": [{"$collStats": {"latencyStats": {}}}]})";

/// mongo: commands/run_aggregate.cpp, startsWithCollStats: a view has statistics of its own.
TEST(router_sources, a_view_has_statistics_on_its_primary_shard) {
  for (const char* version : {"6.0.12", "7.0.12", "8.0", "8.2"}) {
    const auto entries = catalog_of(R"({"version": ")" + std::string{version} +
                                    R"(", "collections": [
        {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}]},
        {"ns": "db.v", "viewOn": "c", "pipeline": [{"$match": {"p": 5}}]}]})");
    EXPECT_EQ(judged(entries, stats_of_view).where(), "unsharded") << version;
  }
}

/// mongo: cluster_bulk_write_cmd.cpp: 7.0 has it behind a feature flag that is off; 6.0 has
/// none.
TEST(router_sources, bulk_write_is_a_command_of_8_0) {
  constexpr std::string_view command = R"({"bulkWrite": 1, "$db": "admin",
      "nsInfo": [{"ns": "db.c"}], "ops": [{"delete": 0, "filter": {"p": 15}},
        {"update": 0, "filter": {"p": {"$gte": 20}}, "updateMods": {"$set": {"x": 1}}}]})";
  expect_router_sources({{command, "single_shard 1,2"}}, {"8.0", "8.2", "9.0"});
  expect_router_sources({{command, "unknown", "CommandNotFound"}}, {"6.0.12"});
  expect_router_sources({{command, "unknown", "CommandNotSupported"}}, {"7.0.12", "7.3"});
}

/// mongo: jstests/sharding/num_hosts_targeted_metrics.js at 2a2f77ba58bc: three chunks on three
/// shards.
TEST(router_sources, hosts_that_mongos_itself_counts) {
  expect_router_sources(
      {
          {R"({"insert": "c", "documents": [{"p": 15}]})", "single_shard 1"},
          {R"({"insert": "c", "documents": [{"p": 0}, {"p": 9}, {"p": 10}]})",
           "multi_shard 0,1"},
          {R"({"insert": "u", "documents": [{"j": -25}, {"j": 8}]})", "unsharded"},
          {R"({"delete": "c", "deletes": [{"q": {"p": {"$lt": 15}}, "limit": 0}]})",
           "multi_shard 0,1"},
          {R"({"find": "c", "filter": {"p": {"$gt": 15}}})", "multi_shard 1,2"},
          {R"({"find": "c", "filter": {"p": {"$lt": 300}}})", "multi_shard 0,1,2"},
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [
               {"$match": {"p": {"$gte": 12, "$lte": 15}}}, {"$sort": {"p": 1}}]})",
           "single_shard 1"},
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [
               {"$match": {"p": {"$gte": -150, "$lte": 15}}}, {"$sort": {"p": 1}}]})",
           "multi_shard 0,1"},
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$lookup": {"from": "u",
               "localField": "p", "foreignField": "j", "as": "l"}}]})",
           all_shards},
      },
      {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"});
}

/// mongo: jstests/sharding/query/lookup/lookup_targeting.js at 22ee87135df9: u stands for a
/// collection on one shard, wherever that is.
TEST(router_sources, joins_with_a_collection_on_one_shard) {
  expect_router_sources(
      {
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$lookup": {"from": "u",
               "localField": "p", "foreignField": "p", "as": "out"}}]})",
           all_shards},
          {R"({"aggregate": "u", "cursor": {}, "pipeline": [{"$lookup": {"from": "c",
               "localField": "p", "foreignField": "p", "as": "out"}}]})",
           "multi_shard 0,1,2"},
          {R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$match": {"p": 15}}, {"$facet": {
               "x": [{"$lookup": {"from": "u", "localField": "p", "foreignField": "p",
                                  "as": "out"}}],
               "y": [{"$lookup": {"from": "v", "localField": "p", "foreignField": "p",
                                  "as": "out"}}]}}]})",
           "single_shard 1"},
          {R"({"aggregate": "u", "cursor": {}, "pipeline": [{"$unionWith": {"coll": "c",
               "pipeline": [{"$match": {"p": 15}}]}}]})",
           "single_shard 1"},
      },
      {"8.0.4", "8.2.0", "9.0.0"});
}

/// mongo: StageConstraints::canSwapWithMatch of document_source_lookup.cpp,
/// document_source_graph_lookup.cpp, document_source_unwind.h and
/// document_source_single_document_transformation.h; none in document_source_set_window_fields,
/// whose doOptimizeAt looks at $sort alone.
TEST(router_sources, stages_that_a_match_passes) {
  struct pair {
    std::string_view stage;
    std::string_view where;
  };
  constexpr std::string_view narrow = "single_shard 1";
  for (const std::string_view version : {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"}) {
    const auto entries = catalog_of(R"({"p": 1})", R"([{"p": 10}, {"p": 20}])", version);
    for (
        const pair& each : std::initializer_list<pair>{
            {R"({"$lookup": {"from": "u", "localField": "x", "foreignField": "y", "as": "z"}})",
             narrow},
            {R"({"$lookup": {"from": "u", "localField": "x", "foreignField": "y", "as": "p"}})",
             all_shards},
            {R"({"$graphLookup": {"from": "u", "startWith": "$x", "connectFromField": "x",
                  "connectToField": "y", "as": "z"}})",
             narrow},
            {R"({"$unwind": "$x"})", narrow},
            {R"({"$unwind": "$p"})", all_shards},
            {R"({"$fill": {"output": {"x": {"value": 1}}}})", narrow},
            {R"({"$densify": {"field": "x", "range": {"step": 1, "bounds": "full"}}})",
             all_shards},
            {R"({"$setWindowFields": {"partitionBy": "$p", "sortBy": {"x": 1},
                  "output": {"r": {"$rank": {}}}}})",
             all_shards},
            {R"({"$bucketAuto": {"groupBy": "$p", "buckets": 2}})", all_shards},
            {R"({"$sample": {"size": 5}})", all_shards},
            {R"({"$facet": {"x": [{"$limit": 1}]}})", all_shards},
            {R"({"$replaceRoot": {"newRoot": "$x"}})", all_shards}}) {
      const std::string command = R"({"aggregate": "c", "cursor": {}, "pipeline": [)" +
                                  std::string{each.stage} + R"(, {"$match": {"p": 15}}]})";
      EXPECT_EQ((judged{entries, command}.where()), each.where) << version << command;
    }
  }
}

/// mongo: jstests/sharding/updateOne_without_shard_key/single_targetable_shard.js at
/// 1e98a0f23d62: one shard owns all chunks, so that any filter leads to it. Before the
/// backports of SERVER-44422 a delete and a findAndModify still need the key.
TEST(router_sources, one_shard_that_owns_all_chunks_is_found) {
  const auto refusals = [](std::string_view version) {
    const auto entries = catalog_of(R"({"version": ")" + std::string{version} + R"(",
        "collections": [{"ns": "db.c", "key": {"x": 1}, "splits": [{"x": 0}],
                         "shards": ["0", "0"]}]})");
    std::string found;
    for (const std::string_view command :
         {R"({"update": "c", "updates": [{"q": {"y": 1}, "u": {"$set": {"z": 3}}}]})",
          R"({"findAndModify": "c", "query": {"y": 1}, "update": {"$set": {"z": 4}}})",
          R"({"delete": "c", "deletes": [{"q": {"y": 1}, "limit": 1}]})"}) {
      found += "/" + std::string{label(judged{entries, command}.verdict().refused)};
    }
    return found;
  };
  for (const std::string_view version : {"5.0.20", "6.0.9", "7.0.1", "8.0.4", "8.2.0"}) {
    EXPECT_EQ(refusals(version), "///") << version;
  }
  for (const std::string_view version : {"5.0.19", "6.0.8", "7.0.0"}) {
    EXPECT_EQ(refusals(version), "//ShardKeyNotFound/ShardKeyNotFound") << version;
  }
}

}  // namespace
}  // namespace scattergate::routing_tests
