#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "routing/words/describe.hpp"
#include "tests/routing/judging_support.hpp"

/// What users reported of their clusters, and what those answered.
namespace scattergate::routing_tests {
namespace {

struct reported_case {
  std::string command;
  std::string_view where;  ///< as judged::where()
  std::string_view lint;   ///< "" if there is none
  std::string_view refused;
  std::string_view advice;  ///< a part of the suggestion; "" if there is none
};

constexpr std::string_view retryable =
    R"(, "lsid": {"id": {"$binary": {"base64": "AAAAAAAAAAAAAAAAAAAAAA==", "subType": "04"}}},
       "txnNumber": {"$numberLong": "1"})";

std::string suggested(const std::shared_ptr<const routing::catalog>& entries,
                      std::string_view command) {
  const judged found{entries, command};
  return routing::suggestion(found.verdict(), found.command());
}

std::string update_of(std::string_view query, std::string_view update, std::string_view rest) {
  return R"({"update": "c", "updates": [{"q": )" + std::string{query} + R"(, "u": )" +
         std::string{update} + "}]" + std::string{rest} + "}";
}

void expect_reported(std::string_view key, std::string_view version,
                     std::initializer_list<reported_case> cases) {
  const auto entries = catalog_of(key, "", version);
  for (const reported_case& each : cases) {
    const judged found{entries, each.command};
    EXPECT_EQ(found.where(), each.where) << each.command;
    EXPECT_EQ(label(found.verdict().lint), each.lint) << each.command;
    EXPECT_EQ(label(found.verdict().refused), each.refused) << each.command;
    const std::string advice = suggested(entries, each.command);
    EXPECT_NE(advice.find(each.advice), advice.npos) << each.command << advice;
    EXPECT_EQ(advice.empty(), each.advice.empty()) << each.command << advice;
  }
}

TEST(reported_cases, a_part_of_a_reference_may_be_a_key_field) {
  expect_reported(
      R"({"customer.$id": 1})", "4.4",
      {{R"({"find": "c", "filter": {"customer.$id": 7}})", "single_shard ?", "", "", ""},
       {R"({"find": "c", "filter": {"customer": {"$ref": "o", "$id": 7}}})", "single_shard ?",
        "", "", ""},
       {R"({"insert": "c", "documents": [{"customer": {"$ref": "o", "$id": 7}}]})",
        "single_shard ?", "", "", ""}});
}

TEST(reported_cases, a_parent_document_that_keeps_the_key_is_no_change) {
  expect_reported(
      R"({"p.code": 1})", "6.0.12",
      {{update_of(R"({"p.code": "A"})", R"({"$set": {"p": {"code": "A", "city": "x"}}})", ""),
        "single_shard ?", "", "", ""},
       {update_of(R"({"p.code": "A"})", R"([{"$set": {"p": {"code": "A", "city": "x"}}}])", ""),
        "single_shard ?", "", "", ""},
       {update_of(R"({"p.code": "A"})", R"({"$set": {"p": {"code": "B"}}})", ""),
        "single_shard ?", "shard_key_update", "", "as a retryable write"},
       {update_of(R"({"p.code": "A"})", R"({"$set": {"p": {"city": "x"}}})", ""),
        "single_shard ?", "shard_key_update", "", "as a retryable write"}});
}

/// mongo: write_without_shard_key; the shard lets the key of a document change if the write is
/// retryable or in a transaction.
TEST(reported_cases, a_key_changes_without_the_key_from_7_1_on) {
  const std::string changes = update_of(R"({"y": 2})", R"({"$set": {"k": 2}})", retryable);
  expect_reported(R"({"k": 1})", "8.0.4",
                  {{changes, "scatter_gather ?", "", "", "add equality on k"},
                   {update_of(R"({"y": 2})", R"({"$set": {"k": 2}})", ""), "scatter_gather ?",
                    "shard_key_update", "", "add equality on k"},
                   {update_of(R"({"_id": 2})", R"({"$set": {"k": 2}})", retryable),
                    "scatter_gather ?", "shard_key_update", "", "add equality on k"}});
}

/// SERVER-106061: from 8.2 on, shards don't require the whole key in the filter.
TEST(reported_cases, a_key_changes_by_id_alone_from_8_2_on) {
  const auto fails = [](std::string_view version, const std::string& command) {
    const judged found{catalog_of(R"({"k": 1})", "", version), command};
    return found.verdict().lint == routing::lint_kind::shard_key_update;
  };
  constexpr std::string_view sets = R"({"$set": {"k": 2}})";
  const std::string by_id = update_of(R"({"_id": 2})", sets, retryable);
  const std::string by_ids_range = update_of(R"({"_id": 2, "k": {"$gt": 1}})", sets, retryable);
  const std::string modify = R"({"findAndModify": "c", "query": {"_id": 2}, "update": )" +
                             std::string{sets} + std::string{retryable} + "}";
  const std::string upsert = R"({"update": "c", "updates": [{"q": {"_id": 2}, "u": )" +
                             std::string{sets} + R"(, "upsert": true}])" +
                             std::string{retryable} + "}";
  for (const std::string_view version : {"7.1", "8.0.4", "8.1"}) {
    EXPECT_TRUE(fails(version, by_id)) << version;
    EXPECT_TRUE(fails(version, by_ids_range)) << version;
    EXPECT_FALSE(fails(version, modify)) << version;
    EXPECT_FALSE(fails(version, upsert)) << version;
  }
  for (const std::string_view version : {"8.2", "9.0"}) {
    for (const std::string& each : {by_id, by_ids_range, modify, upsert}) {
      EXPECT_FALSE(fails(version, each)) << version << each;
    }
    EXPECT_TRUE(fails(version, update_of(R"({"_id": 2})", sets, "")));
  }
  for (const std::string& each : {by_id, modify}) {
    EXPECT_TRUE(fails("7.0.5", each)) << each;
  }
}

TEST(reported_cases, a_range_that_leads_to_one_shard_lets_the_key_change_from_7_1_on) {
  const std::string changes =
      update_of(R"({"k": {"$gte": 1, "$lt": 5}})", R"({"$set": {"k": 20}})", retryable);
  const auto lint_by = [&](std::string_view version) {
    const auto entries = catalog_of(R"({"k": 1})", R"([{"k": 10}])", version);
    return std::string{label(judged{entries, changes}.verdict().lint)};
  };
  EXPECT_EQ(lint_by("7.0.5"), "shard_key_update");
  EXPECT_EQ(lint_by("8.0.4"), "");
}

TEST(reported_cases, a_write_without_the_key_that_changes_it_is_alone) {
  const std::string both =
      R"({"update": "c", "updates": [{"q": {"y": 2}, "u": {"$set": {"k": 2}}},
                                     {"q": {"k": 3}, "u": {"$set": {"v": 20}}}])" +
      std::string{retryable} + "}";
  expect_reported(
      R"({"k": 1})", "8.0.4",
      {{both, "scatter_gather ?", "shard_key_update", "", "send this statement alone"}});
  expect_reported(R"({"k": 1})", "9.0",
                  {{both, "scatter_gather ?", "shard_key_update", "", "add equality on k"}});
}

TEST(reported_cases, a_pipeline_changes_the_key_or_keeps_it) {
  struct row {
    std::string_view pipeline;
    bool changes;
  };
  const auto expect = [](std::string_view key, std::string_view query,
                         std::initializer_list<row> rows) {
    const auto entries = catalog_of(key, "", "6.0.12");
    for (const row& each : rows) {
      const judged found{entries, update_of(query, each.pipeline, "")};
      EXPECT_EQ(label(found.verdict().lint), each.changes ? "shard_key_update" : "")
          << each.pipeline;
    }
  };
  expect(R"({"p.code": 1})", R"({"p.code": "A"})",
         {{R"([{"$set": {"p": {"city": "x"}}}])", false},  // keeps the other members
          {R"([{"$set": {"p": {"code": "$p.code", "city": "x"}}}])", false},
          {R"([{"$set": {"p": {"$literal": {"code": "A"}}}}])", false},
          {R"([{"$set": {"p": {"$literal": {"city": "x"}}}}])", true},
          {R"([{"$set": {"p": 5}}])", true},
          {R"([{"$set": {"p.code": {"$toUpper": "$p.code"}}}])", true},
          {R"([{"$set": {"p.code": "B"}}, {"$set": {"p.code": "A"}}])", false},
          {R"([{"$unset": "p"}])", true},
          {R"([{"$unset": ["x", "p.code"]}])", true},
          {R"([{"$unset": "p.city"}])", false},
          {R"([{"$project": {"p": 1}}])", false},
          {R"([{"$project": {"v": 1}}])", true},
          {R"([{"$project": {"v": 0}}])", false},
          {R"([{"$project": {"p.code": 0}}])", true},
          {R"([{"$replaceWith": {"p": {"code": "A"}, "v": 1}}])", false},
          {R"([{"$replaceWith": {"p": "$p", "v": 1}}])", false},
          {R"([{"$replaceWith": {"v": 1}}])", true},
          {R"([{"$replaceWith": {"$mergeObjects": ["$$ROOT", {"v": 1}]}}])", false},
          {R"([{"$replaceWith": {"$mergeObjects": ["$$ROOT", {"p": {"code": "B"}}]}}])", true},
          {R"([{"$replaceWith": {"$mergeObjects": ["$$ROOT", {"p": {"city": "x"}}]}}])", true},
          {R"([{"$replaceWith": {"$mergeObjects": [{"p": {"code": "B"}}, "$$ROOT"]}}])", false},
          {R"([{"$set": {"p": {"$mergeObjects": ["$p", {"city": "x"}]}}}])", false},
          {R"([{"$set": {"p": {"$mergeObjects": ["$p", {"code": "A"}]}}}])", false},
          {R"([{"$set": {"p": {"$mergeObjects": ["$p", {"code": "B"}]}}}])", true},
          {R"([{"$set": {"p": {"$mergeObjects": [{"city": "x"}]}}}])", true},
          {R"([{"$replaceRoot": {"newRoot": {"p": {"code": "B"}}}}])", true}});
  expect(R"({"_id": 1})", R"({"_id": {"x": 1, "y": 2}})",
         {{R"([{"$set": {"_id": {"x": 1}}}])", false},
          {R"([{"$set": {"_id": {"x": 1, "y": 2}}}])", false},
          {R"([{"$set": {"_id": {"x": 2}}}])", true},
          {R"([{"$set": {"_id.x": 1}}])", false},
          {R"([{"$set": {"_id.x": 2}}])", true},
          {R"([{"$unset": "_id.x"}])", true},
          {R"([{"$unset": "_id.z"}])", false},
          {R"([{"$unset": "_id"}])", false},
          {R"([{"$project": {"v": 1}}])", false},
          {R"([{"$project": {"_id": 0, "v": 1}}])", false},
          {R"([{"$project": {"_id.x": 0}}])", true},
          {R"([{"$replaceWith": {"_id": {"x": 1}}}])", true}});
  expect(R"({"_id.x": 1})", R"({"_id.x": 1})",
         {{R"([{"$unset": "_id.x"}])", true},
          {R"([{"$unset": "_id"}])", false},
          {R"([{"$set": {"_id": {"x": 2}}}])", true},
          {R"([{"$set": {"_id": 5}}])", true}});
  expect(R"({"_id": 1})", R"({"_id": 1})",
         {{R"([{"$set": {"_id": {"x": 1}}}])", true}, {R"([{"$set": {"v": 1}}])", false}});
}

TEST(reported_cases, an_id_in_the_key_never_changes) {
  constexpr std::string_view says =
      "_id can't be changed: insert a new document and delete the old one";
  expect_reported(R"({"_id": "hashed"})", "7.0.5",
                  {{update_of(R"({"_id": 1})", R"({"$set": {"_id": 2}})", retryable),
                    "single_shard ?", "shard_key_update", "", says},
                   {update_of(R"({"_id": 1})", R"({"_id": 2, "v": 1})", retryable),
                    "single_shard ?", "shard_key_update", "", says}});
  expect_reported(R"({"t": 1, "_id": 1})", "7.0.5",
                  {{update_of(R"({"t": 1, "_id": 1})", R"({"$set": {"_id": 2}})", retryable),
                    "single_shard ?", "shard_key_update", "", says},
                   {update_of(R"({"t": 1, "_id": 1})", R"({"$set": {"t": 2}})", retryable),
                    "single_shard ?", "", "", ""}});
}

TEST(reported_cases, an_id_in_the_key_changes_by_no_operator_or_pipeline) {
  constexpr std::string_view says = "_id can't be changed";
  constexpr std::string_view changes[] = {
      R"({"$inc": {"_id": 1}})",
      R"({"$mul": {"_id": 2}})",
      R"({"$unset": {"_id": ""}})",
      R"({"$rename": {"_id": "old"}})",
      R"({"$rename": {"x": "_id"}})",
      R"({"$currentDate": {"_id": true}})",
      R"([{"$set": {"_id": 2}}])",
      R"([{"$addFields": {"_id": 2}}])",
      R"([{"$replaceWith": {"_id": 2, "v": 1}}])",
      R"([{"$replaceRoot": {"newRoot": {"_id": 2, "v": 1}}}])"};
  for (const std::string_view each : changes) {
    expect_reported(R"({"t": 1, "_id": 1})", "7.0.5",
                    {{update_of(R"({"t": 1, "_id": 1})", each, retryable), "single_shard ?",
                      "shard_key_update", "", says}});
  }
  constexpr std::string_view keeps[] = {R"({"$inc": {"_id": 0}})",
                                        R"({"$min": {"_id": 3}})",
                                        R"({"$setOnInsert": {"_id": 2}})",
                                        R"([{"$set": {"_id": 1}}])",
                                        R"([{"$set": {"_id": "$_id", "v": 1}}])",
                                        R"([{"$unset": "_id"}])",
                                        R"([{"$replaceWith": {"t": 1, "v": 1}}])"};
  for (const std::string_view each : keeps) {
    expect_reported(
        R"({"t": 1, "_id": 1})", "7.0.5",
        {{update_of(R"({"t": 1, "_id": 1})", each, retryable), "single_shard ?", "", "", ""}});
  }
}

/// mongo: "must be sent with write batch of size 1".
TEST(reported_cases, a_statement_that_moves_its_document_is_alone) {
  const auto both = [](std::string_view update) {
    return R"({"update": "c", "updates": [{"q": {"a": 1, "b": 1}, "u": )" +
           std::string{update} + R"(}, {"q": {"a": 2, "b": 1}, "u": {"$set": {"v": 20}}}])" +
           std::string{retryable} + "}";
  };
  struct row {
    std::string command;
    std::string_view with_chunks;
    std::string_view without;
  };
  constexpr std::string_view moves = "shard_key_update";
  const row rows[] = {
      {both(R"({"$set": {"a": 20}})"), moves, moves},
      {both(R"({"a": 20, "b": 1})"), moves, moves},
      {both(R"({"$inc": {"a": 1}})"), moves, moves},
      {both(R"({"$set": {"a": 2}})"), "", moves},
      {both(R"({"a": 2, "b": 1})"), "", moves},
      {both(R"({"$set": {"v": 2}})"), "", ""},
      {update_of(R"({"a": 1, "b": 1})", R"({"$set": {"a": 20}})", retryable), "", ""},
  };
  const auto chunks =
      catalog_of(R"({"a": 1, "b": 1})", R"([{"a": 10, "b": {"$minKey": 1}}])", "4.4.17");
  const auto none = catalog_of(R"({"a": 1, "b": 1})", "", "4.4.17");
  for (const row& each : rows) {
    EXPECT_EQ(label(judged(chunks, each.command).verdict().lint), each.with_chunks)
        << each.command;
    EXPECT_EQ(label(judged(none, each.command).verdict().lint), each.without) << each.command;
    const bool is_advised =
        suggested(chunks, each.command).find("send this statement alone") != std::string::npos;
    EXPECT_EQ(is_advised, !each.with_chunks.empty()) << each.command;
  }
}

TEST(reported_cases, an_operation_that_moves_its_document_is_alone) {
  const auto bulk = [](std::string_view rest) {
    return R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.c"}], "ops": [
        {"update": 0, "filter": {"a": 1, "b": 1}, "updateMods": {"$set": {"a": 20}}})" +
           std::string{rest} + "]" + std::string{retryable} + "}";
  };
  expect_reported(R"({"a": 1, "b": 1})", "8.0.4",
                  {{bulk(R"(, {"insert": 0, "document": {"a": 1, "b": 1}})"), "single_shard ?",
                    "shard_key_update", "", "send this statement alone"},
                   {bulk(""), "single_shard ?", "", "", ""}});
}

TEST(reported_cases, a_unique_index_has_the_keys_fields_ascending) {
  const auto index = [](std::string_view key) {
    return R"({"createIndexes": "c", "indexes": [{"name": "s", "unique": true, "key": )" +
           std::string{key} + "}]}";
  };
  expect_reported(R"({"t": 1, "uid": "hashed"})", "8.0.4",
                  {{index(R"({"seq": 1})"), "scatter_gather ?", "unique_index_without_key",
                    "CannotCreateIndex", R"({"t":1,"uid":1})"},
                   {index(R"({"t": 1, "uid": "hashed"})"), "scatter_gather ?",
                    "unique_index_without_key", "CannotCreateIndex", "can't be unique"},
                   {index(R"({"t": 1, "uid": 1, "seq": 1})"), "scatter_gather ?", "", "", ""}});
}

TEST(reported_cases, a_refused_write_to_one_shard_has_advice) {
  constexpr std::string_view says = R"(give each field of the shard key {"a":1,"b":1} once)";
  expect_reported(
      R"({"a": 1, "b": 1})", "4.4",
      {{R"({"findAndModify": "c", "query": {"a": {"$gte": 1, "$lte": 1}, "b": 2},
            "update": {"$set": {"g": 1}}})",
        "single_shard ?", "", "ShardKeyNotFound", says},
       {R"({"delete": "c", "deletes": [{"q": {"$and": [{"a": 1}, {"b": 2}, {"a": 1}]},
            "limit": 1}]})",
        "single_shard ?", "", "ShardKeyNotFound", says}});
}

/// mongo: cluster_filemd5_cmd.cpp, in all versions.
TEST(reported_cases, a_hash_of_a_file_is_routed_by_the_key_of_its_chunks) {
  struct row {
    std::string_view root;
    std::string_view ns;
    std::string_view where;
    std::string_view refused;
  };
  const row rows[] = {
      {R"(, "root": "a")", "a.chunks", "single_shard 0", ""},
      {R"(, "root": "b")", "b.chunks", "multi_shard 0,1", ""},
      {R"(, "root": "c")", "c.chunks", "unknown", "IllegalOperation"},
      {R"(, "root": "e")", "e.chunks", "unknown", "IllegalOperation"},
      {R"(, "root": "d")", "d.chunks", "unsharded", ""},
      {"", "fs.chunks", "single_shard 1", ""},
      {R"(, "root": "")", "fs.chunks", "single_shard 1", ""},
      {R"(, "root": 5)", "fs.chunks", "unknown", "InvalidNamespace"},
  };
  for (const std::string_view version : {"4.4.17", "8.0.4", "9.0"}) {
    const auto entries =
        catalog_of(R"({"version": ")" + std::string{version} + R"(", "collections": [
        {"ns": "db.a.chunks", "key": {"files_id": 1}, "splits": [{"files_id": 10}]},
        {"ns": "db.b.chunks", "key": {"files_id": 1, "n": 1},
         "splits": [{"files_id": 5, "n": 3}, {"files_id": 10}]},
        {"ns": "db.c.chunks", "key": {"files_id": "hashed"}},
        {"ns": "db.e.chunks", "key": {"n": 1, "files_id": 1}},
        {"ns": "db.fs.chunks", "key": {"files_id": 1}, "splits": [{"files_id": 5}]}]})");
    for (const row& each : rows) {
      const judged found{entries, R"({"filemd5": 5)" + std::string{each.root} + "}"};
      EXPECT_EQ(found.where(), each.where) << each.root;
      EXPECT_EQ(found.verdict().collection, each.ns) << each.root;
      EXPECT_EQ(label(found.verdict().refused), each.refused) << each.root;
    }
    const judged partly{entries, R"({"filemd5": 5, "root": "b"})"};
    EXPECT_EQ(partly.why(), "multi_shard partial_key");
    EXPECT_EQ(suggested(entries, R"({"filemd5": 5, "root": "b"})"), "");
    EXPECT_NE(suggested(entries, R"({"filemd5": 5, "root": "c"})").find("{files_id: 1, n: 1}"),
              std::string::npos);
  }
}

TEST(reported_cases, advice_doesnt_ask_for_what_an_expression_has) {
  const auto entries = catalog_of(R"({"location": 1, "_id": 1})", "", "8.0.4");
  const std::string advice =
      suggested(entries, R"({"find": "c", "filter": {"$expr": {"$eq": ["$location", "US"]}}})");
  EXPECT_EQ(advice.find("location"), std::string::npos) << advice;
  EXPECT_NE(advice.find("add equality on _id"), std::string::npos) << advice;
}

TEST(reported_cases, an_empty_list_needs_no_condition_on_the_key) {
  constexpr std::string_view says = "don't send the command";
  for (const std::string_view version : {"4.4", "6.0.12", "7.0", "8.0.4", "8.2", "9.0"}) {
    const auto entries = catalog_of(R"({"tenant": 1})", "", version);
    for (
        const std::string_view each :
        {R"({"find": "c", "filter": {"tenant": {"$in": []}}})",
         R"({"find": "c", "filter": {"tenant": {"$in": []}, "v": 3}})",
         R"({"find": "c", "filter": {"v": {"$in": []}}})",
         R"({"count": "c", "query": {"$and": [{"tenant": {"$in": []}}, {"v": 3}]}})",
         R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$match": {"tenant": {"$in": []}}}]})",
         R"({"update": "c", "updates": [{"q": {"tenant": {"$in": []}}, "u": {"$set": {"v": 1}},
              "multi": true}]})"}) {
      const judged found{entries, each};
      EXPECT_NE(found.verdict().why, routing::reason::missing_key) << version << each;
    }
  }
  expect_reported(R"({"tenant": 1})", "8.0.4",
                  {{R"({"find": "c", "filter": {"tenant": {"$in": []}}})", "scatter_gather ?",
                    "", "", says},
                   {R"({"find": "c", "filter": {"tenant": 1, "v": {"$in": []}}})",
                    "scatter_gather ?", "", "", says},
                   {R"({"find": "c", "filter": {"v": {"$nin": []}}})", "scatter_gather ?", "",
                    "", "on tenant"}});
}

/// mongo: cluster_aggregate.cpp: a change stream without a collection runs on all shards.
TEST(reported_cases, a_change_stream_of_a_database_asks_every_shard) {
  const auto entries = catalog_of(R"({"x": 1})", R"([{"x": 5}])", "8.0.4");
  const judged found{entries, R"({"aggregate": 1, "cursor": {},
      "pipeline": [{"$changeStream": {"fullDocument": "updateLookup"}}]})"};
  EXPECT_EQ(found.verdict().routing, routing::routing_class::scatter_gather);
  EXPECT_EQ(found.verdict().why, routing::reason::by_nature);
  EXPECT_EQ(found.where(), "scatter_gather 0,1");
}

}  // namespace
}  // namespace scattergate::routing_tests
