#include "report/verify/explainable.hpp"

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::report {
namespace {

using tests::json_document;

std::vector<explainable> parts_of(std::string_view json) {
  const json_document body{json};
  return explainables_of(*wire::command_of(body.view()));
}

std::string squeezed(std::string json) {
  std::erase(json, ' ');
  return json;
}

std::string request_of(std::string_view json) {
  const auto parts = parts_of(json);
  EXPECT_EQ(parts.front().why_not, "") << json;
  return squeezed(wire::relaxed_json_of(explain_request(parts.front())));
}

TEST(explainable, a_request_plans_a_command_and_never_runs_it) {
  EXPECT_EQ(request_of(R"({"find": "c", "filter": {"a": 1}, "sort": {"b": 1}, "$db": "d"})"),
            R"({"explain":{"find":"c","filter":{"a":1},"sort":{"b":1}},)"
            R"("verbosity":"queryPlanner","comment":"scattergateverify","maxTimeMS":10000})");
}

TEST(explainable, what_says_how_a_command_is_run_is_left_out) {
  const std::string request = request_of(
      R"({"find": "c", "lsid": {"id": 1}, "txnNumber": 5, "autocommit": false, "hint": "x",
          "startTransaction": true, "readConcern": {"level": "snapshot"}, "maxTimeMS": 1,
          "$clusterTime": {}, "$readPreference": {"mode": "secondary"}, "tailable": true,
          "filter": {}, "let": {"x": 1}, "collation": {"locale": "en"}, "$db": "d"})");
  EXPECT_TRUE(request.starts_with(
      R"({"explain":{"find":"c","filter":{},"let":{"x":1},"collation":{"locale":"en"}},)"))
      << request;
}

TEST(explainable, a_batch_is_explained_statement_by_statement) {
  const auto parts = parts_of(
      R"({"update": "c", "updates": [{"q": {"a": 1}, "u": {"$set": {"b": 1}}},
          {"q": {}, "u": {"$set": {"b": 1}}, "multi": true, "hint": "x"}],
          "ordered": false, "$db": "d"})");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(
      squeezed(wire::relaxed_json_of(parts[1].command)),
      R"({"update":"c","updates":[{"q":{},"u":{"$set":{"b":1}},"multi":true}],"$db":"d"})");
}

TEST(explainable, of_a_large_batch_the_rest_is_named) {
  std::string json = R"({"delete": "c", "deletes": [)";
  for (int i = 0; i < 250; ++i) json += R"({"q": {}, "limit": 1},)";
  json.back() = ']';
  const auto parts = parts_of(json + R"(, "$db": "d"})");
  ASSERT_EQ(parts.size(), most_statements + 1);
  EXPECT_EQ(parts[99].why_not, "");
  EXPECT_EQ(parts[100].why_not, "of a batch only the first 100 statements are");
}

TEST(explainable, a_pipeline_is_sent_without_what_writes) {
  EXPECT_EQ(request_of(R"({"aggregate": "c", "pipeline": [{"$match": {"a": 1}},
                           {"$merge": {"into": "o"}}], "cursor": {}, "$db": "d"})")
                .substr(0, 66),
            R"({"explain":{"aggregate":"c","pipeline":[{"$match":{"a":1}}],"curso)");
  EXPECT_EQ(
      request_of(R"({"aggregate": "c", "pipeline": [{"$out": "o"}], "$db": "d"})").find("$out"),
      std::string::npos);
}

/// 8.0 refuses to explain a pipeline without `cursor`.
TEST(explainable, a_pipeline_is_sent_with_a_cursor) {
  EXPECT_EQ(request_of(R"({"aggregate": "c", "pipeline": [{"$match": {"a": 1}}], "$db": "d"})")
                .substr(0, 72),
            R"({"explain":{"aggregate":"c","pipeline":[{"$match":{"a":1}}],"cursor":{}})");
  EXPECT_EQ(request_of(R"({"find": "c", "$db": "d"})").find("cursor"), std::string::npos);
}

TEST(explainable, what_a_pipeline_joins_is_sent_but_not_judged) {
  const auto parts = parts_of(
      R"({"aggregate": "c", "pipeline": [
          {"$lookup": {"from": "o", "localField": "x", "foreignField": "y", "as": "found.here"}},
          {"$unionWith": "u"}, {"$match": {"k": 1}}, {"$facet": {"f": []}}], "$db": "d"})");
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_NE(wire::relaxed_json_of(parts[0].command).find("$lookup"), std::string::npos);
  EXPECT_EQ(squeezed(wire::relaxed_json_of(parts[0].judged())),
            R"({"aggregate":"c","pipeline":[{"$addFields":{"found.here":"x"}},)"
            R"({"$sort":{"_id":1}},{"$match":{"k":1}},{"$limit":1}],"$db":"d"})");
}

TEST(explainable, an_explain_is_what_it_explains) {
  const auto parts = parts_of(
      R"({"explain": {"count": "c", "query": {"a": 1}}, "verbosity": "allPlansExecution",
                   "$db": "d"})");
  EXPECT_EQ(parts.front().kind, routing::command_kind::count);
  EXPECT_EQ(squeezed(wire::relaxed_json_of(parts.front().command)),
            R"({"count":"c","query":{"a":1},"$db":"d"})");
}

TEST(explainable, everything_else_is_refused_with_its_reason) {
  constexpr const char* refused[] = {
      R"({"insert": "c", "documents": [{}], "$db": "d"})",
      R"({"bulkWrite": 1, "ops": [], "nsInfo": [], "$db": "admin"})",
      R"({"mapReduce": "c", "$db": "d"})",
      R"({"getMore": 5, "collection": "c", "$db": "d"})",
      R"({"drop": "c", "$db": "d"})",
      R"({"dropDatabase": 1, "$db": "d"})",
      R"({"saslStart": 1, "payload": "x", "$db": "admin"})",
      R"({"nonsense": "c", "$db": "d"})",
      R"({"find": "c"})",
      R"({"aggregate": 1, "pipeline": [], "$db": "d"})",
      R"({"aggregate": "c", "$db": "d"})",
      R"({"update": "c", "$db": "d"})",
      R"({"update": "c", "updates": [], "$db": "d"})",
      R"({"update": "c", "updates": [5], "$db": "d"})",
      R"({"explain": 5, "$db": "d"})",
      R"({"explain": {"explain": {"find": "c"}}, "$db": "d"})",
      R"({"explain": {"drop": "c"}, "$db": "d"})",
  };
  for (const char* each : refused) {
    const auto parts = parts_of(each);
    ASSERT_EQ(parts.size(), 1U) << each;
    EXPECT_NE(parts.front().why_not, "") << each;
  }
}

}  // namespace
}  // namespace scattergate::report
