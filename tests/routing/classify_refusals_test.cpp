#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// Commands that mongos refuses with any arguments: by its version, or in a transaction.
namespace scattergate::routing_tests {
namespace {

std::shared_ptr<const routing::catalog> refusals_catalog(std::string_view version) {
  return catalog_of(R"({"version": ")" + std::string{version} + R"(", "collections": [
    {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}, {"p": 20}]},
    {"ns": "db.byId", "key": {"_id": "hashed"}, "splits": []},
    {"ns": "db.local"},
    {"ns": "db.v", "viewOn": "c", "pipeline": []},
    {"ns": "db.united", "viewOn": "c", "pipeline": [{"$unionWith": "local"}]}]})");
}

struct refusal_row {
  std::string_view command;
  std::string_view refused;  ///< the error's name; empty: none
};

void expect_refusals(std::string_view version, std::initializer_list<refusal_row> rows) {
  for (const refusal_row& each : rows) {
    const judged found{refusals_catalog(version), each.command};
    EXPECT_EQ(label(found.verdict().refused), each.refused) << version << each.command;
  }
}

// mongo: commands.cpp, canUseTransactions; jstests/core/txns/commands_not_allowed_in_txn.js
TEST(refusals_in_transactions, of_commands_that_none_may_hold) {
  constexpr std::string_view error = "OperationNotSupportedInTransaction";
  expect_refusals(
      "4.4",
      {{R"({"count": "c", "txnNumber": 1, "autocommit": false})", error},
       {R"({"count": "local", "txnNumber": 1, "autocommit": false})", error},
       {R"({"mapReduce": "c", "out": {"inline": 1}, "txnNumber": 1, "autocommit": false})",
        error},
       {R"({"listIndexes": "c", "txnNumber": 1, "autocommit": false})", error},
       {R"({"dropIndexes": "c", "index": "x", "txnNumber": 1, "autocommit": false})", error},
       {R"({"explain": {"find": "c"}, "txnNumber": 1, "startTransaction": true,
            "autocommit": false})",
        error},
       {R"({"distinct": "c", "key": "x", "txnNumber": 1, "autocommit": false})", error},
       {R"({"count": "c", "txnNumber": 1})", ""},
       {R"({"explain": {"find": "c"}})", ""},
       {R"({"find": "c", "txnNumber": 1, "autocommit": false})", ""},
       {R"({"aggregate": "c", "pipeline": [], "txnNumber": 1, "autocommit": false})", ""},
       {R"({"distinct": "local", "key": "x", "txnNumber": 1, "autocommit": false})", ""},
       {R"({"create": "c", "txnNumber": 1, "autocommit": false})", ""},
       {R"({"createIndexes": "c", "indexes": [], "txnNumber": 1, "autocommit": false})", ""},
       {R"({"commitTransaction": 1, "txnNumber": 1, "autocommit": false})", ""}});
  const judged found{refusals_catalog("8.0"),
                     R"({"count": "c", "txnNumber": 1, "autocommit": false})"};
  EXPECT_EQ(found.why(), "unknown refused");
}

// mongo: TransactionRequirement::kNotAllowed in document_source_union_with.h,
// document_source_list_sessions.h and document_source_list_catalog.h at 0168eda,
// document_source_index_stats.h at 0028619, document_source_vector_search.h; the lite parsers
// of $out, $merge, $changeStream, $planCacheStats, $listLocalSessions, $search
// (assertSupportsMultiDocumentTransaction); jstests/core/txns/aggregation_in_transaction.js.
TEST(refusals_in_transactions, of_stages_that_none_may_hold) {
  constexpr std::string_view error = "OperationNotSupportedInTransaction";
  const auto in_transaction = [](std::string_view collection, std::string_view stages) {
    return R"({"aggregate": )" + std::string{collection} + R"(, "cursor": {}, "pipeline": [)" +
           std::string{stages} + R"(], "txnNumber": 1, "autocommit": false})";
  };
  for (const std::string_view version : {"4.4", "5.0.31", "6.0.12", "7.0.12", "8.0", "8.2"}) {
    for (
        const std::string_view stage :
        {R"({"$unionWith": "local"})", R"({"$out": "other"})", R"({"$merge": "other"})",
         R"({"$changeStream": {}})", R"({"$collStats": {}})", R"({"$indexStats": {}})",
         R"({"$planCacheStats": {}})", R"({"$search": {}})", R"({"$vectorSearch": {}})",
         R"({"$listCatalog": {}})",
         R"({"$lookup": {"from": "local", "as": "z", "pipeline": [{"$unionWith": "local"}]}})"}) {
      expect_refusals(version, {{in_transaction(R"("c")", stage), error},
                                {in_transaction(R"("local")", stage), error}});
    }
    expect_refusals(version,
                    {{in_transaction("1", R"({"$currentOp": {}})"), error},
                     {in_transaction("1", R"({"$listLocalSessions": {}})"), error},
                     {in_transaction(R"("c")", R"({"$match": {"p": 1}}, {"$count": "n"})"), ""},
                     {in_transaction(R"("united")", R"({"$match": {"p": 1}})"), error},
                     {R"({"find": "united", "txnNumber": 1, "autocommit": false})", error},
                     {R"({"find": "united"})", ""}});
  }
}

// mongo: lite_parsed_pipeline.h, which cluster_aggregate.cpp makes before it knows where the
// collection is.
TEST(refusals, of_stages_that_mongos_doesnt_know_on_any_collection) {
  for (const std::string_view version : {"4.4", "6.0.12", "8.2"}) {
    expect_refusals(
        version,
        {{R"({"aggregate": "local", "cursor": {}, "pipeline": [{"$mach": {}}]})",
          "Location40324"},
         {R"({"aggregate": 1, "cursor": {}, "pipeline": [{"$mach": {}}]})", "Location40324"},
         {R"({"aggregate": "local", "cursor": {}, "pipeline": [{}]})", "Location40323"},
         {R"({"aggregate": "local", "cursor": {}, "pipeline": [{"$facet": {"a": [
              {"$mach": {}}]}}]})",
          "Location40324"}});
  }
  const judged found{refusals_catalog("8.0"),
                     R"({"aggregate": "local", "cursor": {}, "pipeline": [{"$mach": {}}]})"};
  EXPECT_EQ(found.where(), "unsharded");
}

// mongo: cluster_rename_collection_cmd.cpp, of 4.4 and of 5.0
TEST(refusals_by_version, renaming_what_is_sharded_before_5_0) {
  constexpr std::string_view from =
      R"({"renameCollection": "db.c", "to": "db.d", "$db": "admin"})";
  constexpr std::string_view to =
      R"({"renameCollection": "db.local", "to": "db.c", "$db": "admin"})";
  constexpr std::string_view neither =
      R"({"renameCollection": "db.local", "to": "db.d", "$db": "admin"})";
  expect_refusals("4.4", {{from, "Location13138"}, {to, "Location13139"}, {neither, ""}});
  expect_refusals("5.0", {{from, ""}, {to, ""}});
}

// mongo: cluster_convert_to_capped_cmd.cpp
TEST(refusals_by_version, capping_what_is_sharded) {
  for (const std::string_view version : {"4.4", "8.0"}) {
    expect_refusals(version, {{R"({"convertToCapped": "c", "size": 1000})", "IllegalOperation"},
                              {R"({"convertToCapped": "local", "size": 1000})", ""}});
  }
}

// mongo: mr_common.cpp, translateFromMR; cluster_map_reduce_agg.cpp
TEST(refusals_by_version, what_a_map_reduce_cant_write_to_or_read) {
  for (const std::string_view version : {"4.4", "8.0"}) {
    expect_refusals(
        version,
        {{R"({"mapReduce": "local", "out": {"merge": "c"}})", "Location31313"},
         {R"({"mapReduce": "local", "out": "c"})", "Location31313"},
         {R"({"mapReduce": "local", "out": "byId"})", "IllegalOperation"},
         {R"({"mapReduce": "local", "out": {"replace": "byId", "sharded": true}})",
          "InvalidOptions"},
         {R"({"mapReduce": "local", "out": {"replace": "other", "sharded": true}})",
          "InvalidOptions"},
         {R"({"mapReduce": "local", "out": {"merge": "other", "sharded": true}})",
          "InvalidOptions"},
         {R"({"mapReduce": "local", "out": {"merge": "byId", "sharded": true}})", ""},
         {R"({"mapReduce": "local", "out": {"reduce": "byId"}})", ""},
         {R"({"mapReduce": "local", "out": {"merge": "c", "db": "elsewhere"}})", ""},
         {R"({"mapReduce": "local", "out": "other"})", ""},
         {R"({"mapReduce": "local", "out": {"inline": 1}})", ""},
         {R"({"mapReduce": "v", "out": {"inline": 1}})", "CommandNotSupportedOnView"}});
  }
}

// mongo: commands.hpp, CommandInvocation::explain; cluster_write_cmd.cpp, explain
TEST(refusals, of_what_has_no_explain) {
  expect_refusals(
      "8.0", {{R"({"explain": {"insert": "c", "documents": [{"p": 5}]}})", "IllegalOperation"},
              {R"({"explain": {"drop": "c"}})", "IllegalOperation"},
              {R"({"explain": {"delete": "c", "deletes": [{"q": {"p": 5}, "limit": 1},
                                                   {"q": {"p": 6}, "limit": 1}]}})",
               "InvalidLength"},
              {R"({"explain": {"delete": "c", "deletes": [{"q": {"p": 5}, "limit": 1}]}})", ""},
              {R"({"explain": {"find": "c"}})", ""}});
  const judged several{refusals_catalog("8.0"), R"({"explain": {"delete": "c", "deletes": [
      {"q": {"p": 5}, "limit": 1}, {"q": {}, "limit": 0}]}})"};
  EXPECT_EQ(several.why(), "unknown refused");
}

TEST(refusals_by_version, of_a_bulk_write_before_8_0) {
  constexpr std::string_view bulk = R"({"bulkWrite": 1, "$db": "admin",
      "nsInfo": [{"ns": "db.c"}], "ops": [{"insert": 0, "document": {"p": 5}}]})";
  expect_refusals("6.0.12", {{bulk, "CommandNotFound"}});
  expect_refusals("7.0", {{bulk, "CommandNotSupported"}});
  expect_refusals("8.0", {{bulk, ""}});
}

// mongo: write_ops_parsers.cpp, checkOpCountForCommand; what a log leaves out isn't empty.
TEST(refusals, of_batches_of_nothing) {
  for (const std::string_view version : {"4.4", "6.0.12", "8.2", "9.0"}) {
    expect_refusals(version, {{R"({"insert": "c", "documents": []})", "InvalidLength"},
                              {R"({"insert": "local", "documents": []})", "InvalidLength"},
                              {R"({"update": "c", "updates": []})", "InvalidLength"},
                              {R"({"delete": "c", "deletes": []})", "InvalidLength"},
                              {R"({"update": "c"})", ""}});
  }
}

// mongo: jstests/core/views/views_all_commands.js
TEST(refusals, of_what_a_view_doesnt_take) {
  constexpr std::string_view error = "CommandNotSupportedOnView";
  expect_refusals(
      "8.0",
      {{R"({"insert": "v", "documents": [{"p": 5}]})", error},
       {R"({"update": "v", "updates": [{"q": {"p": 5}, "u": {"$set": {"x": 1}}}]})", error},
       {R"({"delete": "v", "deletes": [{"q": {"p": 5}, "limit": 1}]})", error},
       {R"({"findAndModify": "v", "query": {"p": 5}, "remove": true})", error},
       {R"({"createIndexes": "v", "indexes": []})", error},
       {R"({"listIndexes": "v"})", error},
       {R"({"renameCollection": "db.v", "to": "db.w", "$db": "admin"})", error},
       {R"({"explain": {"delete": "v", "deletes": [{"q": {"p": 5}, "limit": 1}]}})", error},
       {R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.v"}],
            "ops": [{"insert": 0, "document": {"p": 5}}]})",
        error},
       {R"({"find": "v"})", ""},
       {R"({"count": "v"})", ""},
       {R"({"aggregate": "v", "pipeline": []})", ""},
       {R"({"collMod": "v", "viewOn": "local"})", ""},
       {R"({"drop": "v"})", ""}});
}

// Recorded: {update: Symbol("orders")} is carried out, {find: Symbol("orders")} isn't.
TEST(refusals_by_version, of_a_find_whose_collection_is_a_symbol) {
  constexpr std::string_view find = R"({"find": {"$symbol": "c"}, "filter": {"p": 5}})";
  constexpr std::string_view update =
      R"({"update": {"$symbol": "c"}, "updates": [{"q": {"p": 5}, "u": {"$set": {"x": 1}}}]})";
  expect_refusals("4.4", {{find, "FailedToParse"}, {update, ""}});
  EXPECT_EQ(judged(refusals_catalog("4.4"), update).where(), "single_shard 0");
  EXPECT_EQ(judged(refusals_catalog("8.0"), find).where(), "single_shard 0");
}

// mongo: s/commands/cluster_compact_cmd.cpp.
TEST(classify_refusals, compact_is_for_a_mongod_alone) {
  for (const std::string_view version : {"4.4", "6.0.12", "8.2"}) {
    expect_refusals(version, {{R"({"compact": "c"})", "CommandNotSupported"}});
  }
}

// mongo: s/commands/SConscript at f1e08cc.
TEST(classify_refusals, re_index_is_no_command_from_7_0_on) {
  for (const std::string_view version : {"7.0.12", "8.2"}) {
    expect_refusals(version, {{R"({"reIndex": "c"})", "CommandNotFound"}});
  }
  expect_refusals("4.4", {{R"({"reIndex": "c"})", ""}});
}

/// If we name several shards only because of uncertainty, mongos may find one: then no refusal.
TEST(refusals_by_version, a_write_that_may_match_nothing_has_none) {
  const char* contradictions[] = {R"({"h": 1, "$and": [{"h": 2}]})",
                                  R"({"$or": [{"h": 1}, {"h": 2, "$and": [{"h": 3}]}]})"};
  for (const char* filter : contradictions) {
    const std::string query = filter;
    for (const auto& [version, refused] :
         {std::pair{"6.0.12", ""}, {"7.0.12", ""}, {"6.0.1", "ShardKeyNotFound"}}) {
      const auto entries = catalog_of(std::string{R"({"version": ")"} + version + R"(",
          "collections": [{"ns": "db.c", "key": {"h": "hashed"},
                           "splits": [{"h": {"$numberLong": "0"}}], "shards": ["0", "1"]}]})");
      const auto refusal_of = [&](const std::string& command) {
        return label(judged(entries, command).verdict().refused);
      };
      EXPECT_EQ(refusal_of(R"({"findAndModify": "c", "remove": true, "query": )" + query + "}"),
                refused)
          << version << query;
      EXPECT_EQ(refusal_of(R"({"delete": "c", "deletes": [{"limit": 1, "q": )" + query + "}]}"),
                refused)
          << version << query;
      EXPECT_EQ(refusal_of(R"({"update": "c", "updates": [{"u": {"$set": {"x": 1}}, "q": )" +
                           query + "}]}"),
                "")
          << version << query;
    }
  }
}

/// Of several $ors mongos plans the first in its order, here one that leads to one shard
/// (mongo: plan_enumerator.cpp, enumerateOneIndex; recorded of 4.4, 5.0 and 8.0).
TEST(refusals_by_version, a_write_by_several_alternatives_may_have_none) {
  const std::string query = R"({"$or": [{"a": {"$gt": -9}}, {"a": {"$lt": "x"}}],
      "$and": [{"$or": [{"a": {"$in": []}}, {"a": {"$minKey": 1}}]}]})";
  for (const char* version : {"6.0.12", "7.0.12"}) {
    const auto entries = catalog_of(std::string{R"({"version": ")"} + version + R"(",
        "collections": [{"ns": "db.c", "key": {"a": 1}, "splits": [{"a": 0}]}]})");
    const judged found{entries,
                       R"({"delete": "c", "deletes": [{"limit": 1, "q": )" + query + "}]}"};
    EXPECT_EQ(found.where(), "single_shard 0") << version;
    EXPECT_EQ(label(found.verdict().refused), "") << version;
  }
}

/// mongo 8.0: collection_routing_info_targeter.cpp, targetUpdate: a replacement is the target
/// only if isExactIdQuery holds, which the simplified filter may contradict.
TEST(refusals_by_version, a_replacement_by_a_doubtful_id_has_none) {
  const auto entries = catalog_of(R"({"version": "8.0.4", "collections": [
      {"ns": "db.c", "key": {"a": 1, "_id": 1}, "splits": [{"a": 0, "_id": 0}],
       "shards": ["0", "1"]}]})");
  const auto doubtful =
      judged(entries, R"({"update": "c", "updates": [{"u": {"a": [1]}, "q": {"_id": 5,
          "$or": [{"$and": [{"_id": {}}]}, {"$nor": [{}]}]}}]})");
  EXPECT_EQ(label(doubtful.verdict().refused), "");
}

}  // namespace
}  // namespace scattergate::routing_tests
