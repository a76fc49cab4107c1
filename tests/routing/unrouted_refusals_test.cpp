#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// What rules match of a command that mongos rejects, or that looks as if mongos rejected it:
/// an error never hides where the command goes if mongos runs it after all.
namespace scattergate::routing_tests {
namespace {

using routing::routing_class;

std::shared_ptr<const routing::catalog> rejecting_catalog(std::string_view version) {
  return catalog_of(R"({"version": ")" + std::string{version} + R"(", "collections": [
      {"ns": "db.c", "key": {"p": 1, "q": 1}, "splits": [{"p": 10}, {"p": 20}]},
      {"ns": "db.other", "key": {"k": 1}, "splits": [{"k": 10}]},
      {"ns": "db.local"}]})");
}

/// The worst class among the touches, which rules match; the verdict's own if there are none.
std::string_view worst_of(const judged& found) {
  const auto touches = found.verdict().touches;
  return label(touches.empty()
                   ? found.verdict().routing
                   : std::ranges::max(touches, {}, &routing::touch::routing).routing);
}

struct rejected_row {
  std::string_view version;
  std::string_view command;
  std::string_view refused;  ///< the error's name; empty: none
  std::string_view printed;  ///< the verdict's own class
  std::string_view worst;    ///< worst_of()
};

void expect_rows(std::initializer_list<rejected_row> rows) {
  for (const rejected_row& row : rows) {
    const judged found{rejecting_catalog(row.version), row.command};
    EXPECT_EQ(label(found.verdict().refused), row.refused) << row.version << row.command;
    EXPECT_EQ(label(found.verdict().routing), row.printed) << row.version << row.command;
    EXPECT_EQ(worst_of(found), row.worst) << row.version << row.command;
  }
}

TEST(unrouted_refusals, rules_match_where_a_rejected_command_would_go) {
  constexpr std::string_view scatter = "scatter_gather";
  constexpr std::string_view bad = "BadValue";
  expect_rows({
      {"8.0", R"({"find": "c", "filter": {"x": {"$foo": 1}}})", bad, "unknown", scatter},
      {"8.0", R"({"find": "c", "filter": {"p": {"$lt": 15}, "x": {"$foo": 1}}})", bad,
       "unknown", "multi_shard"},
      {"8.0", R"({"find": "c", "filter": {"p": 5, "q": 1, "x": {"$foo": 1}}})", bad, "unknown",
       "single_shard"},
      {"8.0", R"({"find": "c", "filter": {"$or": [{"p": 5}, {"x": {"$foo": 1}}]}})", bad,
       "unknown", scatter},
      {"8.0", R"({"find": "c", "filter": {"$nor": [{"p": {"$foo": 1}}]}})", bad, "unknown",
       scatter},
      {"8.0", R"({"find": "c", "limit": -1})", "Location51024", "unknown", scatter},
      {"8.0", R"({"count": "c", "query": {"p": {"$lt": 15}}, "skip": -1})", "Location51024",
       "unknown", "multi_shard"},
      {"8.0", R"({"count": "c", "txnNumber": 1, "autocommit": false})",
       "OperationNotSupportedInTransaction", "unknown", scatter},
      {"8.0", R"({"explain": {"find": "c"}, "autocommit": false})",
       "OperationNotSupportedInTransaction", "unknown", scatter},
      {"8.0", R"({"find": "c", "rawData": true})", "Location40415", "unknown", scatter},
      {"8.0", R"({"delete": "c", "deletes": [{"q": {}, "limit": 5}]})", "FailedToParse",
       "unknown", scatter},
      {"8.0", R"({"delete": "c", "deletes": [{"q": {"p": 5, "q": 1}, "limit": 0},
                                             {"q": {}, "limit": 5}]})",
       "FailedToParse", "unknown", scatter},
      {"8.0", R"({"update": "c", "updates": [{"q": {}, "u": {"x": 1}, "multi": true}]})",
       "InvalidOptions", "unknown", scatter},
      {"8.0", R"({"explain": {"update": "c", "updates": [
                  {"q": {}, "u": {"$set": {"x": 1}}, "multi": true},
                  {"q": {"p": 5, "q": 1}, "u": {"$set": {"x": 1}}}]}})",
       "InvalidLength", "unknown", scatter},
      {"8.0", R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$foo": 1}]})", "Location40324",
       "unknown", scatter},
      {"8.0", R"({"aggregate": "c", "cursor": {}, "pipeline": [
                  {"$match": {"p": {"$lt": 15}}}, {"$out": "x"}, {"$match": {}}]})",
       "Location40601", "unknown", "multi_shard"},
      {"8.0", R"({"aggregate": "local", "cursor": {}, "pipeline": [
                  {"$lookup": {"from": "c", "as": "z", "pipeline": [{"$match": {"x": {"$foo": 1}}}]}}]})",
       bad, "unknown", scatter},
      {"4.4", R"({"aggregate": "local", "cursor": {}, "pipeline": [
                  {"$lookup": {"from": "c", "as": "z", "localField": "l", "foreignField": "f"}}]})",
       "Location28769", "unsharded", scatter},
      {"8.0", R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.c"}], "ops": [
                  {"update": 0, "filter": {}, "updateMods": {"$set": {"x": 1}}, "multi": true},
                  {"insert": 7, "document": {}}]})",
       bad, "unknown", scatter},
      {"8.0",
       R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.c"}, {"ns": ""}], "ops": [
                  {"update": 0, "filter": {}, "updateMods": {"$set": {"x": 1}}, "multi": true}]})",
       "InvalidNamespace", "unknown", scatter},
      // Nothing scatters if mongos runs it.
      {"8.0", R"({"insert": "c", "documents": [{"p": [1], "q": 1}]})", "ShardKeyNotFound",
       "unknown", "unknown"},
      {"8.0", R"({"find": "local", "limit": -1})", "Location51024", "unknown", "unsharded"},
  });
}

TEST(unrouted_refusals, a_rejected_statement_beside_others_has_its_own_class_for_rules) {
  const judged found{rejecting_catalog("8.0"), R"({"update": "c", "ordered": false, "updates": [
      {"q": {"p": 5, "q": 1}, "u": {"$set": {"x": 1}}},
      {"q": {"x": {"$foo": 1}}, "u": {"$set": {"x": 1}}, "multi": true}]})"};
  EXPECT_EQ(found.where(), "single_shard 0");
  EXPECT_EQ(worst_of(found), "scatter_gather");
  const auto& counts = found.verdict().statements;
  EXPECT_EQ(counts[static_cast<std::size_t>(routing_class::unknown)], 1U);
  EXPECT_EQ(counts[static_cast<std::size_t>(routing_class::scatter_gather)], 0U);
}

TEST(unrouted_refusals, rules_match_the_missing_fields_and_the_fan_out) {
  const judged found{rejecting_catalog("8.0"),
                     R"({"find": "c", "filter": {"q": 5, "x": {"$foo": 1}}})"};
  ASSERT_EQ(found.verdict().touches.size(), 1U);
  const routing::verdict seen = found.verdict().verdict_in(found.verdict().touches.front());
  EXPECT_TRUE(seen.misses(0));
  EXPECT_FALSE(seen.misses(1));
  ASSERT_TRUE(seen.fanout.has_value());
  EXPECT_EQ(seen.fanout->size(), 3U);
  EXPECT_EQ(seen.shards_asked(), 0U);  // as predicted, mongos asks none
  EXPECT_FALSE(found.verdict().fanout.has_value());
}

// Each of these runs on a real mongos.
TEST(unrouted_refusals, no_error_is_predicted_from_a_value_that_mongos_accepts) {
  const std::string decimals[] = {"0", "-0", "0E3", "1E-6000"};
  for (const std::string& zero : decimals) {
    const std::string limit = R"({"$numberDecimal": ")" + zero + R"("})";
    const judged found{rejecting_catalog("8.0"),
                       R"({"delete": "c", "deletes": [{"q": {}, "limit": )" + limit + "}]}"};
    EXPECT_EQ(found.why(), "scatter_gather missing_key") << zero;
    EXPECT_EQ(label(found.verdict().refused), "") << zero;
  }
  const judged one{rejecting_catalog("8.0"), R"({"delete": "c", "deletes": [
      {"q": {}, "limit": {"$numberDecimal": "1.0"}}]})"};
  EXPECT_EQ(one.why(), "scatter_gather write_without_key");
  constexpr std::string_view scatter = "scatter_gather";
  for (const std::string_view version : {"4.4", "5.0.31", "6.0.20", "7.0.12", "8.0", "8.2"}) {
    expect_rows({
        {version, R"({"find": "c", "filter": {"x": {"~type": {"$numberDecimal": "2"}}}})", "",
         scatter, scatter},
        {version,
         R"({"find": "c", "filter": {"x": {"~type": [{"$numberDecimal": "2E0"}, 3]}}})", "",
         scatter, scatter},
        {version, R"({"count": "c", "autocommit": null})", "", scatter, scatter},
        {version, R"({"count": "c", "autocommit": {"$undefined": true}})", "", scatter,
         scatter},
        {version, R"({"distinct": "c", "key": "x", "autocommit": null})", "", scatter, scatter},
        {version, R"({"mapReduce": "c", "out": {"inline": 1}, "autocommit": null})", "",
         scatter, scatter},
        {version, R"({"explain": {"find": "c"}, "autocommit": null})", "", scatter, scatter},
        {version, R"({"explain": {"find": "c", "autocommit": false}})", "", scatter, scatter},
        {version, R"({"explain": {"count": "c", "autocommit": false}})", "", scatter, scatter},
        {version, R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$out": "x"}],
                      "autocommit": null})",
         "", scatter, scatter},
        {version,
         R"({"find": "c", "filter": {"x": {"$in": [{"$gt": 1, "$ref": "a", "$id": 1}]}}})", "",
         scatter, scatter},
        {version, R"({"find": "c", "filter": {"x": {"$foo": 1, "$ref": "a", "$id": 1}}})", "",
         scatter, scatter},
        {version, R"({"find": "c", "skip": -0.5, "limit": {"$numberDecimal": "-0.5"}})", "",
         scatter, scatter},
        {version, R"({"find": "c", "filter": {"p": {"$exists": "no"}}})", "", scatter, scatter},
    });
  }
  expect_rows({
      {"4.4",
       R"({"find": "c", "filter": {"x": {"$regularExpression": {"pattern": "a", "options": "g"}}}})",
       "", scatter, scatter},
      {"5.0.31", R"({"find": "c", "filter": {"x": {"~regex": "a", "~options": "g"}}})", "",
       scatter, scatter},
      {"6.0.20", R"({"find": "c", "filter": {"x": {"~regex": "a", "~options": "g"}}})",
       "Location51108", "unknown", scatter},
      {"4.4", R"({"explain": {"find": "c"}, "rawData": true})", "", scatter, scatter},
      {"5.0.31", R"({"explain": {"find": "c"}, "rawData": true})", "Location40415", "unknown",
       scatter},
      {"4.4", R"({"explain": {"find": "c", "rawData": true}})", "Location40415", "unknown",
       scatter},
      {"8.0", R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.c"}], "ops": [
                  {"delete": {"$numberDecimal": "0"}, "filter": {}, "multi": true}]})",
       "", scatter, scatter},
      {"8.0", R"({"bulkWrite": 1, "$db": "admin", "nsInfo": [{"ns": "db.c"}], "ops": [
                  {"delete": 0.9, "filter": {}, "multi": true}]})",
       "", scatter, scatter},
      {"9.0", R"({"update": "c", "updates": [
                  {"q": {}, "u": {"$set": {"x": 1}}, "multi": true, "c": null}]})",
       "", scatter, scatter},
      {"9.0", R"({"update": "c", "updates": [
                  {"q": {}, "u": {"$set": {"x": 1}}, "multi": true, "c": {"a": 1}}]})",
       "Location51198", "unknown", scatter},
  });
}

}  // namespace
}  // namespace scattergate::routing_tests
