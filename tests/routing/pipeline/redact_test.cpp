#include "tests/routing/pipeline/pipeline_support.hpp"

/// The parts of a $match that are also applied before a $redact (mongo:
/// document_source_redact.cpp, doOptimizeAt; document_source_match.cpp, redactSafePortion), as
/// a 4.4.0 mongos shows it.
namespace scattergate::routing_tests {
namespace {

std::string behind_redact(std::string_view match) {
  return R"([{"$redact": "$$KEEP"}, {"$match": )" + std::string{match} + "}]";
}

TEST(redact, safe_operators_are_copied_without_those_next_to_them) {
  expect_by_p(
      {
          {behind_redact(R"({"p": {"$gte": 12, "$lt": 15, "$exists": true}})"), one_shard},
          {behind_redact(R"({"p": {"$all": [15, null]}})"), one_shard},
          {behind_redact(
               R"({"$or": [{"p": 15, "a": null}, {"$and": [{"p": 16}, {"b": {}}]}]})"),
           one_shard},
          {behind_redact(R"({"$or": [{"p": 15}, {"a": null}]})"), all_shards},
          {behind_redact(R"({"$and": [{"$nor": [{"p": 1}]}, {"p": 15}]})"), one_shard},
          {behind_redact(R"({"p": {"$not": {"$gt": 1}}})"), all_shards},
      },
      "4.4");
}

TEST(redact, an_equality_written_as_an_operator_is_safe_in_later_versions_alone) {
  expect_by_p({{behind_redact(R"({"p": {"$eq": 15}})"), all_shards}}, "4.4");
  expect_by_p({{behind_redact(R"({"p": {"$eq": 15}})"), one_shard}}, "8.0");
}

TEST(redact, only_the_first_copy_at_the_very_front_is_what_mongos_targets_by) {
  const std::string redact = R"({"$redact": "$$KEEP"}, )";
  const std::string match = R"({"$match": {"p": 15}}])";
  expect_by_p(
      {
          {"[" + redact + match, one_shard},
          {R"([{"$match": {}}, )" + redact + match, one_shard},
          {R"([{"$match": {}}, {"$match": {}}, )" + redact + match, all_shards},
          {R"([{"$unset": "x"}, )" + redact + match, all_shards},
          {R"([{"$match": {"a": 1}}, )" + redact + match, all_shards},
          {"[" + redact + redact + match, all_shards},
          {"[" + redact + R"({"$match": {"a": {"$exists": true}}}, )" + match, one_shard},
          {"[" + redact + R"({"$match": {"a": 1}}, )" + match, all_shards},
          {"[" + redact + R"({"$unwind": "$x"}, {"$match": {"p": {"$gte": 12, "$lt": 15}}}])",
           one_shard},
          {"[" + redact + R"({"$limit": 1}, )" + match, all_shards},
      },
      "4.4");
}

/// mongo: document_source_match.cpp, splitSourceBy: what moves whole past a stage that renames
/// no part keeps its form; a rewritten part has an $eq.
TEST(redact, an_equality_that_is_written_anew_is_not_copied) {
  const std::string redact = R"([{"$redact": "$$KEEP"}, )";
  expect_by_p(
      {
          {redact + R"({"$addFields": {"a": 3}}, {"$match": {"p": 15}}])", one_shard},
          {redact + R"({"$unwind": "$x"}, {"$sort": {"a": 1}}, {"$match": {"p": 15}}])",
           one_shard},
          {redact + R"({"$addFields": {"a": "$b"}}, {"$match": {"p": 15}}])", all_shards},
          {redact + R"({"$addFields": {"a": "$b.c"}}, {"$match": {"p": 15}}])", one_shard},
          {redact + R"({"$addFields": {"a": 3}}, {"$match": {"p": 15, "a": 3}}])", all_shards},
          {redact + R"({"$addFields": {"a": 3}}, {"$match": {"p": {"$eq": 15}}}])", all_shards},
          {redact + R"({"$addFields": {"a": "$b"}}, {"$match": {"p": {"$in": [15, 16]}}}])",
           one_shard},
      },
      "4.4");
}

TEST(redact, what_is_copied_to_the_front_stays_out_of_a_union) {
  expect_by_p({{R"([{"$match": {"p": 15}}, {"$unionWith": "c"}, {"$redact": "$$KEEP"},
                   {"$match": {"p": 15}}])",
                all_shards}},
              "4.4");
}

/// mongo 4.4: document_source_match.cpp, joinMatchWith and splitSourceBy: the $expr stays, is
/// joined with the next $match, and what then moves of both is written with $eq.
TEST(redact, what_is_joined_with_a_rest_is_written_anew) {
  const std::string behind = R"([{"$redact": "$$KEEP"}, {"$unwind": "$x"}, )";
  const std::string rest = R"({"$match": {"x": 1, "$expr": {"$lte": ["$p", 99]}}}, )";
  expect_by_p({{behind + R"({"$match": {"p": 15}}])", one_shard},
               {behind + rest + R"({"$match": {"p": 15}}])", all_shards},
               {behind + R"({"$match": {"p": {"$all": [15]}}}])", one_shard},
               {behind + rest + R"({"$match": {"p": {"$all": [15]}}}])", all_shards}},
              "4.4");
}

}  // namespace
}  // namespace scattergate::routing_tests
