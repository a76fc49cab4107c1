#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// Words that mongos doesn't know are refused; words that it may know are not.
namespace scattergate::routing_tests {
namespace {

std::string refusal_of(std::string_view command, std::string_view version = "8.0") {
  const judged found{catalog_of(R"({"p": 1})", R"([{"p": 10}])", version), command};
  const auto& verdict = found.verdict();
  const bool is_refused = verdict.why == routing::reason::refused;
  EXPECT_EQ(is_refused, verdict.refused != routing::refusal::none) << command;
  EXPECT_EQ(is_refused, verdict.routing == routing::routing_class::unknown) << command;
  return std::string{label(verdict.refused)};
}

std::string refusal_of_expression(std::string_view expression) {
  return refusal_of(R"({"find": "c", "filter": {"p": 5, "$expr": )" + std::string{expression} +
                    "}}");
}

std::string refusal_of_pipeline(std::string_view pipeline) {
  return refusal_of(R"({"aggregate": "c", "pipeline": )" + std::string{pipeline} + "}");
}

TEST(language, an_unknown_operator_in_an_expression_is_refused_at_any_depth) {
  constexpr std::string_view unknown = "InvalidPipelineOperator";
  EXPECT_EQ(refusal_of_expression(R"({"$bogus": 1})"), unknown);
  EXPECT_EQ(refusal_of_expression(R"({"$eq": ["$p", {"$bogus": 1}]})"), unknown);
  EXPECT_EQ(refusal_of_expression(R"({"$and": [true, {"$not": [{"$Eq": [1, 1]}]}]})"), unknown);
  EXPECT_EQ(refusal_of_expression(R"({"$let": {"vars": {"v": {"$bogus": 1}}, "in": 1}})"),
            unknown);
  EXPECT_EQ(refusal_of_expression(R"({"$switch": {"branches": [
                {"case": {"$bogus": 1}, "then": 1}]}})"),
            unknown);
  EXPECT_EQ(refusal_of_expression(R"({"$cond": {"if": 1, "then": {"x": {"$bogus": 1}},
                "else": 2}})"),
            unknown);
  EXPECT_EQ(refusal_of_expression(R"({"$match": 1})"), unknown);
}

TEST(language, an_operator_stands_alone) {
  EXPECT_EQ(refusal_of_expression(R"({"$eq": ["$p", 1], "$gt": ["$p", 0]})"), "Location15983");
  EXPECT_EQ(refusal_of_expression(R"({"$abs": 1, "x": 1})"), "Location15983");
}

TEST(language, known_operators_are_not_refused) {
  for (const std::string_view expression :
       {R"({"$eq": ["$p", 5]})", R"({"$literal": {"$bogus": 1}})", R"({"$const": {"$x": 1}})",
        R"({"$eq": ["$p", {"$literal": {"$bogus": 1, "x": 1}}]})", R"("$p")", R"(true)",
        R"({"$toHashedIndexKey": "$p"})", R"({"$bitAnd": [1, 2]})", R"({"$sigmoid": 1})",
        R"({"$median": {"input": [1], "method": "approximate"}})", R"({"$_internalX": 1})",
        R"({"$getField": {"field": {"$literal": "$a"}, "input": "$$ROOT"}})",
        R"({"$sortArray": {"input": "$a", "sortBy": {"x": 1}}})", R"({})"}) {
    EXPECT_EQ(refusal_of_expression(expression), "") << expression;
  }
}

TEST(language, an_unknown_stage_is_refused_wherever_it_stands) {
  constexpr std::string_view unknown = "Location40324";
  EXPECT_EQ(refusal_of_pipeline(R"([{"$bogus": 1}])"), unknown);
  EXPECT_EQ(refusal_of_pipeline(R"([{"match": {"p": 5}}])"), unknown);
  EXPECT_EQ(refusal_of_pipeline(R"([{"$match": {"p": 5}}, {"$Match": {}}])"), unknown);
  EXPECT_EQ(refusal_of_pipeline(R"([{"$lookup": {"from": "l", "as": "z", "pipeline": [
                {"$bogus": 1}]}}])"),
            unknown);
  EXPECT_EQ(refusal_of_pipeline(R"([{"$unionWith": {"coll": "l", "pipeline": [
                {"$bogus": 1}]}}])"),
            unknown);
  EXPECT_EQ(refusal_of_pipeline(R"([{"$facet": {"a": [], "b": [{"$bogus": 1}]}}])"), unknown);
  EXPECT_EQ(refusal_of_pipeline(R"([{"$match": {}, "$limit": 1}])"), "Location40323");
  EXPECT_EQ(refusal_of_pipeline(R"([{}])"), "Location40323");
}

TEST(language, known_stages_are_not_refused) {
  for (const std::string_view stage :
       {R"({"$match": {"p": 5}})", R"({"$querySettings": {}})", R"({"$rankFusion": {}})",
        R"({"$_internalUnpackBucket": {}})", R"({"$listSearchIndexes": {}})",
        R"({"$vectorSearch": {}})", R"({"$unset": "x"})", R"({"$fill": {"output": {}}})"}) {
    EXPECT_EQ(refusal_of_pipeline("[" + std::string{stage} + "]"), "") << stage;
  }
}

TEST(language, a_stage_is_unknown_before_the_version_that_brought_it) {
  const std::string_view window = R"({"aggregate": "c", "pipeline": [{"$setWindowFields": {
      "partitionBy": "$p", "output": {}}}]})";
  EXPECT_EQ(refusal_of(window, "4.4"), "Location40324");
  EXPECT_EQ(refusal_of(window, "5.0"), "");
  const std::string_view densify = R"({"aggregate": "c", "pipeline": [{"$densify": {}}]})";
  EXPECT_EQ(refusal_of(densify, "5.0"), "Location40324");
  EXPECT_EQ(refusal_of(densify, "6.0"), "");
  const std::string_view renamed = R"({"aggregate": "c", "pipeline": [{"$telemetry": {}}]})";
  EXPECT_EQ(refusal_of(renamed, "7.0"), "");
  EXPECT_EQ(refusal_of(renamed, "8.0"), "Location40324");
  EXPECT_EQ(refusal_of(renamed, "9.0"), "Location40324");
}

// mongo: document_source_geo_near.h, validatePipelinePosition; s/query/cluster_aggregate.cpp of
// 8.0, runAggregate.
TEST(language, a_geo_near_is_first_once_the_pipeline_is_optimized) {
  constexpr std::string_view not_first = "Location40603";
  const std::string near = R"({"$geoNear": {"near": [0, 0], "distanceField": "d"}})";
  const auto behind = [&near](std::string_view stage, std::string_view version = "8.0") {
    return refusal_of(
        R"({"aggregate": "c", "pipeline": [)" + std::string{stage} + ", " + near + "]}",
        version);
  };
  for (const std::string_view stage :
       {R"({"$match": {"p": 5}})", R"({"$limit": 1})", R"({"$project": {"p": 1}})",
        R"({"$group": {"_id": "$p"}})", R"({"$unwind": "$x"})",
        R"({"$match": {}}, {"$limit": 1})",
        R"({"$lookup": {"from": "l", "localField": "x", "foreignField": "y", "as": "z"}})"}) {
    EXPECT_EQ(behind(stage), not_first) << stage;
  }
  EXPECT_EQ(behind(near), not_first);
  // The optimizer may remove these.
  for (const std::string_view stage :
       {R"({"$match": {}})", R"({"$match": {"$expr": true}})",
        R"({"$match": {"p": {"$nin": []}}})", R"({"$skip": 0})",
        R"({"$replaceWith": "$$ROOT"})", R"({"$sort": {"p": 1}})"}) {
    EXPECT_EQ(behind(stage), "") << stage;
  }
  EXPECT_EQ(behind(R"({"$match": {"p": 5}})", "7.0.12"), "");
  EXPECT_EQ(refusal_of_pipeline("[" + near + R"(, {"$match": {"p": 5}}])"), "");
}

// mongo: pipeline/pipeline.cpp of 4.4 to 8.2, validateCommon; document_source_facet.cpp.
TEST(language, a_stage_stands_where_it_may) {
  EXPECT_EQ(refusal_of_pipeline(R"([{"$match": {"p": 5}}, {"$collStats": {}}])"),
            "Location40602");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$match": {"p": 5}}, {"$search": {}}])"), "Location40602");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$lookup": {"from": "l", "as": "z", "pipeline": [
                {"$limit": 1}, {"$indexStats": {}}]}}])"),
            "Location40602");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$out": "l"}, {"$match": {"p": 5}}])"), "Location40601");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$merge": "l"}, {"$collStats": {}}])"), "Location40601");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$facet": {"a": [{"$out": "l"}]}}])"), "Location40600");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$facet": {"a": [{"$limit": 1}, {"$facet": {}}]}}])"),
            "Location40600");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$limit": 1}, {"$match": {"$and": [
                {"$text": {"$search": "a"}}]}}])"),
            "Location17313");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$match": {"$text": {"$search": "a"}}}, {"$out": "l"}])"),
            "");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$collStats": {}}, {"$limit": 1}, {"$merge": "l"}])"), "");
  // Parse errors come first.
  EXPECT_EQ(refusal_of_pipeline(R"([{"$out": "l"}, {"$match": {"p": {"$bogus": 1}}}])"),
            "BadValue");
}

// mongo: pipeline/variables.cpp, VariablesParseState::getVariable.
TEST(language, a_variable_is_bound) {
  constexpr std::string_view unbound = "Location17276";
  EXPECT_EQ(refusal_of_expression(R"({"$eq": ["$p", "$$x"]})"), unbound);
  EXPECT_EQ(refusal_of_expression(R"({"$and": [{"$eq": ["$p", 5]}, "$$x.y"]})"), unbound);
  EXPECT_EQ(refusal_of_expression(R"({"$let": {"vars": {"y": 1}, "in": "$$x"}})"), unbound);
  for (const std::string_view expression :
       {R"({"$eq": ["$p", "$$ROOT.x"]})", R"({"$eq": ["$p", "$$NOW"]})",
        R"({"$let": {"vars": {"x": 1}, "in": "$$x.y"}})",
        R"({"$map": {"input": "$a", "as": "x", "in": "$$x"}})",
        R"({"$filter": {"input": "$a", "cond": "$$this"}})",
        R"({"$reduce": {"input": "$a", "initialValue": 0, "in": "$$value"}})",
        R"({"$eq": ["$p", {"$literal": "$$x"}]})"}) {
    EXPECT_EQ(refusal_of_expression(expression), "") << expression;
  }
  EXPECT_EQ(refusal_of(R"({"find": "c", "let": {"x": 5}, "filter":
                {"$expr": {"$eq": ["$p", "$$x"]}}})"),
            "");
  // A $lookup's pipeline may name the variables of each `let` around it.
  EXPECT_EQ(refusal_of_pipeline(R"([{"$lookup": {"from": "c", "as": "z", "let": {"x": 1},
                "pipeline": [{"$match": {"$expr": {"$eq": ["$p", "$$x"]}}}]}}])"),
            "");
}

// mongo: matcher/expression_leaf.cpp, RegexMatchExpression; util/pcre_util.cpp, flagsToOptions.
TEST(language, a_regular_expression_can_be_compiled) {
  const auto refused = [](std::string_view condition) {
    return refusal_of(R"({"find": "c", "filter": {"p": )" + std::string{condition} + "}}");
  };
  for (const std::string_view pattern :
       {"*a", "a|+b", "(?", "(a", "a)", "[a", "[]", "(*a)", "a\\\\", "[^]a"}) {
    const std::string condition = R"({"~regex": ")" + std::string{pattern} + R"("})";
    const bool is_examined = pattern != "(?" && pattern != "(*a)";
    EXPECT_EQ(refused(condition), is_examined ? "Location51091" : "") << pattern;
  }
  for (const std::string_view pattern : {"^*a", "a**", "[]a]", "[[:alpha:]", "\\\\Q(", "\\\\c(",
                                         "(a)(?i)[", "a\\\\*", "{2", "a|b", "()"}) {
    EXPECT_EQ(refused(R"({"~regex": ")" + std::string{pattern} + R"("})"), "") << pattern;
  }
  EXPECT_EQ(refused(R"({"~regex": "(a", "~options": "x"})"), "");
  EXPECT_EQ(refused(R"({"~regex": "a", "~options": "z"})"), "Location51108");
  EXPECT_EQ(refused(R"({"$in": [5, {"$regularExpression": {"pattern": "(", "options": ""}}]})"),
            "Location51091");
}

// mongo: matcher/expression_parser.cpp; Pipeline::kAllowedMatcherFeatures.
TEST(language, a_stage_matches_without_where_and_near) {
  constexpr std::string_view where = R"([{"$match": {"p": 5, "$where": "true"}}])";
  constexpr std::string_view near = R"([{"$match": {"p": 5, "g": {"$near": [0, 0]}}}])";
  EXPECT_EQ(refusal_of_pipeline(where), "BadValue");
  EXPECT_EQ(refusal_of_pipeline(near), "Location5626500");
  EXPECT_EQ(refusal_of(R"({"aggregate": "c", "pipeline": )" + std::string{near} + "}", "4.4"),
            "BadValue");
  EXPECT_EQ(refusal_of(R"({"find": "c", "filter": {"p": 5, "$where": "true"}})"), "");
  EXPECT_EQ(refusal_of(R"({"find": "c", "filter": {"p": 5, "g": {"$near": [0, 0]}}})"), "");
}

// mongo: query/find_command.idl; query/count_command.idl.
TEST(language, a_limit_and_a_skip_are_not_negative) {
  EXPECT_EQ(refusal_of(R"({"find": "c", "filter": {"p": 5}, "limit": -1})"), "Location51024");
  EXPECT_EQ(refusal_of(R"({"find": "c", "filter": {"p": 5}, "skip": -1})"), "Location51024");
  EXPECT_EQ(refusal_of(R"({"find": "c", "filter": {"p": 5}, "skip": -1})", "4.4"), "BadValue");
  EXPECT_EQ(refusal_of(R"({"count": "c", "query": {"p": 5}, "skip": -1})"), "Location51024");
  EXPECT_EQ(refusal_of(R"({"count": "c", "query": {"p": 5}, "limit": -1})"), "");
}

TEST(language, a_filter_that_stays_behind_a_stage_is_read_anyway) {
  EXPECT_EQ(refusal_of_pipeline(R"([{"$limit": 1}, {"$match": {"p": {"$bogus": 1}}}])"),
            "BadValue");
  EXPECT_EQ(
      refusal_of_pipeline(R"([{"$addFields": {"p": 1}}, {"$match": {"p": 5, "$or": []}}])"),
      "BadValue");
  EXPECT_EQ(refusal_of_pipeline(R"([{"$limit": 1}, {"$match": {"$expr": {"$bogus": 1}}}])"),
            "InvalidPipelineOperator");
}

TEST(language, a_newer_server_may_know_more) {
  const std::string_view find = R"({"find": "c", "filter": {"$expr": {"$bogus": 1}}})";
  const std::string_view aggregate = R"({"aggregate": "c", "pipeline": [{"$bogus": 1}]})";
  for (const std::string_view version : {"4.4", "7.0", "8.0"}) {
    EXPECT_EQ(refusal_of(find, version), "InvalidPipelineOperator") << version;
    EXPECT_EQ(refusal_of(aggregate, version), "Location40324") << version;
  }
  EXPECT_EQ(refusal_of(find, "9.0"), "");
  EXPECT_EQ(refusal_of(aggregate, "9.0"), "");
}

}  // namespace
}  // namespace scattergate::routing_tests
