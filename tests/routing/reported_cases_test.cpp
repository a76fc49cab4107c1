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
        "single_shard ?", "shard_key_update", "", "without multi"},
       {update_of(R"({"p.code": "A"})", R"({"$set": {"p": {"city": "x"}}})", ""),
        "single_shard ?", "shard_key_update", "", "without multi"}});
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

TEST(reported_cases, an_id_in_the_key_never_changes) {
  constexpr std::string_view says = "_id can't be changed";
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

TEST(reported_cases, advice_doesnt_ask_for_what_an_expression_has) {
  const auto entries = catalog_of(R"({"location": 1, "_id": 1})", "", "8.0.4");
  const std::string advice =
      suggested(entries, R"({"find": "c", "filter": {"$expr": {"$eq": ["$location", "US"]}}})");
  EXPECT_EQ(advice.find("location"), std::string::npos) << advice;
  EXPECT_NE(advice.find("add equality on _id"), std::string::npos) << advice;
}

TEST(reported_cases, an_empty_list_needs_no_condition_on_the_key) {
  constexpr std::string_view says = "don't send the command";
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
