#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "tests/routing/shape_support.hpp"
#include "tests/routing/thirds.hpp"

namespace scattergate::routing_tests {
namespace {

using routing::lint_kind;
using routing::refusal;

TEST(classify_batches, the_worst_statement_decides_and_fan_outs_unite) {
  const auto entries = thirds();
  const judged found{entries, R"({"update": "c", "updates": [
      {"q": {"p": 5}, "u": {"$set": {"x": 1}}},
      {"q": {"p": {"$gt": 15}}, "u": {"$set": {"x": 1}}, "multi": true}]})"};
  EXPECT_EQ(found.where(), "multi_shard 0,1,2");
  EXPECT_EQ(found.verdict().bounds, routing::bounds_kind::narrowed);
  const judged worse{entries, R"({"update": "c", "updates": [
      {"q": {"x": 5}, "u": {"$set": {"x": 1}}}, {"q": {"p": 5}, "u": {"$set": {"x": 1}}},
      {"q": {"x": {"$bad": 1}}, "u": {"$set": {"x": 1}}}]})"};
  EXPECT_EQ(worse.why(), "scatter_gather write_without_key");
  EXPECT_EQ(worse.verdict().refused, refusal::bad_value);
  EXPECT_EQ(worse.verdict()
                .statements[static_cast<std::size_t>(routing::routing_class::scatter_gather)],
            1U);
}

// Recorded of 4.4: with {$bad: 1} first, and ordered: false, the others were carried out.
TEST(classify_batches, a_refused_statement_hides_only_what_comes_behind_it_in_order) {
  constexpr std::string_view bad = R"({"q": {"x": {"$bad": 1}}, "limit": 0})";
  constexpr std::string_view all = R"({"q": {}, "limit": 0})";
  constexpr std::string_view one = R"({"q": {"p": 5}, "limit": 1})";
  const auto judged_as = [](bool ordered, std::initializer_list<std::string_view> statements) {
    std::string list;
    for (const std::string_view each : statements) {
      list += (list.empty() ? "" : ", ") + std::string{each};
    }
    const judged found{thirds(), R"({"delete": "c", "ordered": )" +
                                     std::string{ordered ? "true" : "false"} +
                                     R"(, "deletes": [)" + list + "]}"};
    EXPECT_EQ(found.verdict().refused, refusal::bad_value) << list;
    return found.where();
  };
  EXPECT_EQ(judged_as(false, {bad, all}), "scatter_gather 0,1,2");
  EXPECT_EQ(judged_as(false, {bad, one, all}), "scatter_gather 0,1,2");
  EXPECT_EQ(judged_as(false, {one, bad}), "single_shard 0");
  EXPECT_EQ(judged_as(true, {one, bad, all}), "single_shard 0");
  EXPECT_EQ(judged_as(true, {all, bad, one}), "scatter_gather 0,1,2");
  EXPECT_EQ(judged_as(true, {bad, all}), "unknown");
  EXPECT_EQ(judged_as(false, {bad, bad}), "unknown");
}

// mongo: batch_write_op.cpp at 009489e, targetBatch, noteBatchResponse: mongos learns of such
// an error in the shard's reply.
TEST(classify_batches, what_only_a_shard_refuses_is_sent_there) {
  constexpr std::string_view by_mongos =
      R"({"q": {"x": {"$bad": 1}}, "u": {"$set": {"x": 1}}, "multi": true})";
  constexpr std::string_view by_0 = R"({"q": {"p": 5}, "u": {"$foo": {"x": 1}}})";
  constexpr std::string_view by_1 =
      R"({"q": {"p": 15, "$expr": {"$eq": ["$x", 1]}}, "u": {"$set": {"x": 1}}, "upsert": true})";
  constexpr std::string_view by_all = R"({"q": {}, "u": {"$foo": {"x": 1}}, "multi": true})";
  constexpr std::string_view at_2 = R"({"q": {"p": 25}, "u": {"$set": {"x": 1}}})";
  const auto entries = thirds();
  const auto where = [&](bool ordered, std::initializer_list<std::string_view> statements) {
    std::string list;
    for (const std::string_view each : statements) {
      list += (list.empty() ? "" : ", ") + std::string{each};
    }
    const judged found{entries, R"({"update": "c", "ordered": )" +
                                    std::string{ordered ? "true" : "false"} +
                                    R"(, "updates": [)" + list + "]}"};
    EXPECT_NE(found.verdict().refused, refusal::none) << list;
    const auto asked = found.verdict().shards_asked();
    return found.where() + " " + (asked ? std::to_string(*asked) : "?");
  };
  EXPECT_EQ(where(false, {by_0, at_2}), "single_shard 0,2 2");
  EXPECT_EQ(where(false, {at_2, by_1}), "single_shard 1,2 2");
  EXPECT_EQ(where(false, {by_mongos, by_1}), "single_shard 1 1");
  EXPECT_EQ(where(false, {by_mongos, by_1, at_2}), "single_shard 1,2 2");
  EXPECT_EQ(where(false, {at_2, by_all}), "scatter_gather 0,1,2 4");
  EXPECT_EQ(where(true, {at_2, by_1, by_0}), "single_shard 1,2 2");
  EXPECT_EQ(where(true, {by_1, at_2}), "single_shard 1 1");
  EXPECT_EQ(where(true, {at_2, by_mongos, by_1}), "single_shard 2 1");
  EXPECT_EQ(where(true, {by_mongos, by_1}), "unknown 0");
}

TEST(classify_batches, what_is_unknown_doesnt_outrank_what_scatters) {
  const judged found{thirds(), R"({"delete": "c", "deletes": [{"q": 5, "limit": 0},
                                                              {"q": {}, "limit": 0}]})"};
  EXPECT_EQ(found.why(), "scatter_gather missing_key");
}

// A document sequence as mongos's log prints it; clients may not send it like this.
TEST(classify_batches, without_statements_are_unknown) {
  for (const std::string_view command :
       {R"({"update": "c"})", R"({"insert": "c", "ordered": true})", R"({"delete": "c"})",
        R"({"update": "local"})", R"({"insert": "local"})", R"({"delete": "local"})",
        R"({"explain": {"update": "local"}})", R"({"bulkWrite": 1, "$db": "admin"})"}) {
    EXPECT_EQ(judged(thirds(), command).why(), "unknown unreadable") << command;
  }
}

TEST(classify_batches, of_single_shard_statements_are_single_shard) {
  const judged found{thirds(), R"({"update": "c", "updates": [
      {"q": {"p": 5}, "u": {"$set": {"x": 1}}}, {"q": {"p": 25}, "u": {"$set": {"x": 1}}}]})"};
  EXPECT_EQ(found.where(), "single_shard 0,2");
  EXPECT_EQ(found.verdict().bounds, routing::bounds_kind::point);
}

struct lint_row {
  std::string_view command;
  lint_kind lint;
};

TEST(lints, are_found_next_to_the_class) {
  const lint_row rows[] = {
      {R"({"createIndexes": "c", "indexes": [{"key": {"x": 1}, "unique": true}]})",
       lint_kind::unique_index_without_key},
      {R"({"createIndexes": "c", "indexes": [{"key": {"p": -1, "x": 1}, "unique": true}]})",
       lint_kind::none},
      {R"({"createIndexes": "c", "indexes": [{"key": {"_id": 1}, "unique": true}]})",
       lint_kind::none},
      {R"({"createIndexes": "c", "indexes": [{"key": {"x": 1}}]})", lint_kind::none},
      {R"({"createIndexes": "pairs", "indexes": [{"key": {"a.b": 1}, "unique": true}]})",
       lint_kind::unique_index_without_key},
      {R"({"createIndexes": "local", "indexes": [{"key": {"x": 1}, "unique": true}]})",
       lint_kind::none},
      {R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"$set": {"p": 9}}}]})",
       lint_kind::shard_key_update},
      {R"({"update": "c", "updates": [{"q": {"p": 1}, "u": {"$set": {"p": 9}}}]})",
       lint_kind::shard_key_update},
      {R"({"update": "c", "txnNumber": 1,
           "updates": [{"q": {"p": 1}, "u": {"$set": {"p": 9}}}]})",
       lint_kind::none},
      {R"({"update": "c", "txnNumber": 1,
           "updates": [{"q": {"p": 1}, "u": {"$set": {"p": 9}}, "multi": true}]})",
       lint_kind::shard_key_update},
      {R"({"update": "c", "updates": [{"q": {"p": 1}, "u": {"$set": {"p": 1, "x": 2}}}]})",
       lint_kind::none},
      {R"({"update": "c", "updates": [{"q": {"p": 1}, "u": {"p": 1, "x": 2}}]})",
       lint_kind::none},
      {R"({"update": "c", "updates": [{"q": {"p": 1}, "u": {"p": 2}}]})",
       lint_kind::shard_key_update},
      {R"({"update": "c", "updates": [{"q": {"p": 1}, "u": [{"$set": {"p": 2}}]}]})",
       lint_kind::shard_key_update},
      {R"({"update": "c", "updates": [{"q": {"p": 1}, "u": {"$rename": {"x": "p"}}}]})",
       lint_kind::shard_key_update},
      {R"({"update": "pairs", "updates": [{"q": {"a.b": 1, "c": 1}, "u": {"$unset": {"a": 1}}}]})",
       lint_kind::shard_key_update},
      {R"({"find": "c", "filter": {"_id": 1}})", lint_kind::ambiguous_id},
      {R"({"find": "c", "filter": {"_id": {"$in": [1]}}})", lint_kind::ambiguous_id},
      {R"({"find": "c", "filter": {"_id": 1, "x": 1}})", lint_kind::none},
      {R"({"find": "c", "filter": {"_id": 1, "p": 1}})", lint_kind::none},
      {R"({"find": "ids", "filter": {"_id": 1}})", lint_kind::none},
      {R"({"delete": "c", "deletes": [{"q": {"_id": 1}, "limit": 1}]})",
       lint_kind::ambiguous_id},
      {R"({"find": "ids", "filter": {"_id": {"$in": ["x:0", "x:1", "x:2", "x:3", "x:4", "x:5",
           "x:6", "x:7", "x:8", "x:9"]}}})",
       lint_kind::logical_shard_fanout},
      {R"({"find": "c", "filter": {"p": {"$in": ["x:0", "y:1"]}}})", lint_kind::none},
  };
  for (const lint_row& each : rows) {
    EXPECT_EQ(judged(thirds(), each.command).verdict().lint, each.lint) << each.command;
  }
}

}  // namespace
}  // namespace scattergate::routing_tests
