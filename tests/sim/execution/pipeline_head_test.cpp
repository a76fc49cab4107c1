#include "sim/execution/pipeline_head.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/sim/from_json.hpp"

namespace scattergate::sim {
namespace {

void add_paths(const filter_node& node, std::set<std::string>& out) {
  if (!node.path.empty()) out.insert(node.path);
  for (const filter_node& each : node.parts) add_paths(each, out);
}

/// The fields that the head's conditions are on, by the names that documents have them under.
std::string head_paths(const std::string& stages, const char* version = "8.0") {
  const document wrapped = from_json(R"({"s": )" + stages + "}");
  std::set<std::string> paths;
  add_paths(head_of(*wrapped.find("s")->as<array>(), {{}, rules_of(version)}), paths);
  std::string out;
  for (const std::string& each : paths) out += (out.empty() ? "" : " ") + each;
  return out;
}

struct head_case {
  const char* stages;
  const char* paths;
};

TEST(head_of_pipeline, a_root_that_stays_the_same_is_dropped_since_8_2) {
  constexpr auto* stages =
      R"([{"$replaceRoot": {"newRoot": "$$ROOT"}}, {"$sort": {"a": 1}}, {"$match": {"k": 1}}])";
  EXPECT_EQ(head_paths(stages, "8.0"), "");
  EXPECT_EQ(head_paths(stages, "8.2"), "k");
  EXPECT_EQ(head_paths(R"([{"$replaceWith": "$$ROOT"}, {"$match": {"k": 1}}])", "9.0"), "k");
  EXPECT_EQ(head_paths(R"([{"$replaceWith": "$a"}, {"$match": {"k": 1}}])", "9.0"), "");
}

// The rules are those of mongo 4.4's document_source.cpp, expression_algo.cpp and
// document_source_match.cpp; real_answers_test holds them against a real one.

TEST(head_of_pipeline, takes_what_can_move_before_the_stages_in_between) {
  for (const head_case& each : std::vector<head_case>{
           {R"([{"$match": {"k": 1}}])", "k"},
           {R"([{"$match": {"k": 1}}, {"$match": {"j": 2}}])", "j k"},
           {R"([{"$sort": {"k": 1}}, {"$match": {"k": 1}}])", "k"},
           {R"([{"$limit": 1}, {"$match": {"k": 1}}])", ""},
           {R"([{"$skip": 0}, {"$match": {"k": 1}}])", "k"},
           {R"([{"$skip": 1}, {"$match": {"k": 1}}])", ""},
           {R"([{"$match": {"k": 1}}, {"$skip": 0}, {"$match": {"j": 1}}])", "k"},
           {R"([{"$sort": {"k": 1}}, {"$limit": 1}, {"$match": {"k": 1}}])", ""},
           {R"([{"$addFields": {"a": 1}}, {"$match": {"k": 1}}])", "k"},
           {R"([{"$addFields": {"k": 1}}, {"$match": {"k": 1}}])", ""},
           {R"([{"$addFields": {"k.a": 1}}, {"$match": {"k": 1}}])", ""},
           {R"([{"$project": {"a": 1}}, {"$match": {"k": 1}}])", ""},
           {R"([{"$project": {"k": 1}}, {"$match": {"k.a": 1}}])", "k.a"},
           {R"([{"$project": {"a": 0}}, {"$match": {"k": 1}}])", "k"},
           {R"([{"$project": {"a": 1}}, {"$match": {"_id": 1}}])", "_id"},
           {R"([{"$unset": "k"}, {"$match": {"k": 1}}])", ""},
           {R"([{"$unwind": "$a"}, {"$match": {"k": 1}}])", "k"},
           {R"([{"$unwind": "$k"}, {"$match": {"k": 1}}])", ""},
           {R"([{"$lookup": {"from": "d", "as": "a"}}, {"$match": {"a": 1, "k": 1}}])", "k"},
           {R"([{"$replaceRoot": {"newRoot": "$$ROOT"}}, {"$match": {"k": 1}}])", ""},
           {R"([{"$facet": {"a": []}}, {"$match": {"k": 1}}])", ""},
           {R"([{"$unionWith": "d"}, {"$match": {"k": 1}}])", "k"},
           {R"([{"$unionWith": "d"}, {"$project": {"k": 1}}, {"$match": {"k": 1}}])", "k"},
           {R"([{"$unionWith": "d"}, {"$limit": 1}, {"$match": {"k": 1}}])", ""},
       }) {
    EXPECT_EQ(head_paths(each.stages), each.paths) << each.stages;
  }
}

TEST(head_of_pipeline, takes_the_parts_of_a_condition_that_can_move_alone) {
  for (const head_case& each : std::vector<head_case>{
           {R"([{"$addFields": {"a": 1}}, {"$match": {"a": 1, "k": 1}}])", "k"},
           {R"([{"$addFields": {"a": 1}}, {"$match": {"$nor": [{"a": 1}, {"k": 1}]}}])", "k"},
           {R"([{"$addFields": {"a": 1}}, {"$match": {"$or": [{"a": 1}, {"k": 1}]}}])", ""},
           {R"([{"$sort": {"a": 1}}, {"$match": {"k": {"$elemMatch": {"$gt": 1}}}}])", "k"},
           {R"([{"$unwind": "$k"}, {"$match": {"k": {"$size": 1}}}])", ""},
           {R"([{"$project": {"n": "$k"}}, {"$match": {"n": {"$elemMatch": {"x": 1}}}}])",
            "k x"},
           {R"([{"$sort": {"a": 1}}, {"$match": {"$expr": {"$eq": ["$k", 1]}}}])", "k"},
           {R"([{"$unwind": "$k"}, {"$match": {"$expr": {"$eq": ["$k", 1]}}}])", ""},
           {R"([{"$sort": {"a": 1}}, {"$match": {"$expr": {"$eq": ["$$ROOT", "$k"]}}}])", ""},
           {R"([{"$match": {"$expr": {"$eq": ["$k", 1]}}}])", "k"},
       }) {
    EXPECT_EQ(head_paths(each.stages), each.paths) << each.stages;
  }
}

TEST(head_of_pipeline, follows_renames) {
  for (const head_case& each : std::vector<head_case>{
           {R"([{"$addFields": {"n": "$k"}}, {"$match": {"n.x": 1}}])", "k.x"},
           {R"([{"$addFields": {"n": "$k.x"}}, {"$match": {"n": 1}}])", ""},
           {R"([{"$project": {"n": "$k"}}, {"$match": {"n": 1}}])", "k"},
           {R"([{"$group": {"_id": "$k"}}, {"$match": {"_id": 1}}])", "k"},
           {R"([{"$group": {"_id": {"x": "$k"}}}, {"$match": {"_id.x": 1}}])", "k"},
           {R"([{"$group": {"_id": "$k"}}, {"$match": {"_id": {"$exists": true}}}])", ""},
           {R"([{"$group": {"_id": "$k"}}, {"$match": {"k": 1}}])", ""},
           {R"([{"$group": {"_id": "$k.x"}}, {"$match": {"_id": 1}}])", ""},
           {R"([{"$sortByCount": "$k"}, {"$match": {"_id": 1, "count": 2}}])", "k"},
       }) {
    EXPECT_EQ(head_paths(each.stages), each.paths) << each.stages;
  }
}

TEST(head_of_pipeline, follows_no_rename_below_the_top_level_since_6_0) {
  for (const char* stages : {R"([{"$addFields": {"n.x": "$k"}}, {"$match": {"n.x": 1}}])",
                             R"([{"$project": {"n": {"x": "$k"}}}, {"$match": {"n.x": 1}}])"}) {
    EXPECT_EQ(head_paths(stages, "5.0"), "k") << stages;
    EXPECT_EQ(head_paths(stages, "6.0"), "") << stages;
    EXPECT_EQ(head_paths(stages, "9.0"), "") << stages;
  }
}

TEST(head_of_pipeline, follows_no_rename_by_a_map_since_6_0) {
  const char* fields =
      R"([{"$addFields": {"n": {"$map": {"input": "$k", "as": "m", "in": {"x": "$$m.y"}}}}},
          {"$match": {"n.x": 1}}])";
  const char* whole = R"([{"$addFields": {"n": {"$map": {"input": "$k", "in": "$$this.y"}}}},
                          {"$match": {"n": 1}}])";
  const char* computed =
      R"([{"$addFields": {"n": {"$map": {"input": "$k", "in": {"x": {"$abs": "$$this.y"}}}}}},
          {"$match": {"n.x": 1}}])";
  for (const char* version : {"5.0", "6.0", "8.0", "9.0"}) {
    const char* expected = version < std::string_view{"6.0"} ? "k.y" : "";
    EXPECT_EQ(head_paths(fields, version), expected) << version;
    EXPECT_EQ(head_paths(whole, version), expected) << version;
    EXPECT_EQ(head_paths(computed, version), "") << version;
  }
}

TEST(head_of_pipeline, passes_a_group_in_9_0_unless_more_than_values_count) {
  for (
      const head_case& each : std::vector<head_case>{
          {R"([{"$group": {"_id": "$k"}}, {"$match": {"$expr": {"$eq": ["$_id", 1]}}}])", "k"},
          {R"([{"$group": {"_id": "$k"}}, {"$match": {"$expr": {"$in": ["$_id", [1, 2]]}}}])",
           "k"},
          {R"([{"$group": {"_id": "$k"}}, {"$match": {"$expr": {"$eq": ["$_id", null]}}}])",
           ""},
          {R"([{"$group": {"_id": "$k"}},
                {"$match": {"_id": 1, "$expr": {"$isNumber": "$_id"}}}])",
           ""},
          {R"([{"$group": {"_id": "$k"}}, {"$match": {"_id": 1, "$expr": {"$isNumber": "$n"}}}])",
           "k"},
          {R"([{"$group": {"_id": {"c": "$k", "d": "$j"}}},
                {"$match": {"_id.c": 1, "_id.d": {"$type": "int"}}}])",
           ""},
          {R"([{"$group": {"_id": {"c": "$k"}}}, {"$match": {"_id.c": {"$exists": true}}}])",
           ""},
          {R"([{"$group": {"_id": {"c": "$k", "d": "$j"}}},
                {"$match": {"_id.c": {"$exists": true}}}])",
           "k"},
      }) {
    EXPECT_EQ(head_paths(each.stages, "9.0"), each.paths) << each.stages;
  }
}

TEST(head_of_pipeline, follows_a_group_key_that_a_project_renames) {
  for (
      const head_case& each : std::vector<head_case>{
          {R"([{"$group": {"_id": {"c": "$k"}}}, {"$project": {"m": "$_id.c"}},
                {"$match": {"m": 1}}])",
           "k"},
          {R"([{"$group": {"_id": {"c": "$k"}}}, {"$project": {"m": {"n": "$_id.c"}}},
                {"$match": {"m.n": 1, "x": 2}}])",
           ""},
          {R"([{"$group": {"_id": {"c": "$k"}}}, {"$project": {"m": "$_id.c.d"}},
                {"$match": {"m": 1}}])",
           ""},
          {R"([{"$group": {"_id": {"c": "$k.d"}}}, {"$project": {"m": "$_id.c"}},
                {"$match": {"m": 1}}])",
           ""},
          {R"([{"$group": {"_id": {"c": "$k"}}}, {"$addFields": {"m": "$_id.c"}},
                {"$match": {"m": 1}}])",
           ""},
          {R"([{"$group": {"_id": "$k"}}, {"$project": {"m": "$_id.c"}}, {"$match": {"m": 1}}])",
           ""},
          {R"([{"$group": {"_id": {"c": "$k"}}}, {"$project": {"m": "$_id.c"}}, {"$limit": 1},
                {"$match": {"m": 1}}])",
           ""},
      }) {
    EXPECT_EQ(head_paths(each.stages), each.paths) << each.stages;
    EXPECT_EQ(head_paths(each.stages, "7.0"), "") << each.stages;
  }
}

/// mongo 4.4: document_source_match.cpp, splitSourceBy: what moves without the rest is written
/// with $eq, which a $redact stops.
TEST(head_of_pipeline, copies_no_equality_that_was_written_anew) {
  const std::string before = R"([{"$redact": "$$KEEP"}, {"$project": {"x": 0}}, )";
  const std::string rest = R"({"$match": {"$expr": {"$eq": [null, "$a"]}, "a": 5}}, )";
  const std::string stages = before + rest + R"({"$match": {"k": {"$mod": [3, 1]}}}])";
  EXPECT_EQ(head_paths(stages, "4.4"), "k");
  EXPECT_EQ(head_paths(before + R"({"$match": {"a": 5}}])", "4.4"), "a");
}

TEST(head_of_pipeline, copies_what_a_redact_cannot_make_true) {
  for (const head_case& each : std::vector<head_case>{
           {R"([{"$redact": "$$KEEP"}, {"$match": {"k": 1, "a": null}}])", "k"},
           {R"([{"$redact": "$$KEEP"}, {"$match": {"k": {"$ne": 1}}}])", ""},
           {R"([{"$redact": "$$KEEP"}, {"$match": {"$or": [{"k": 1}, {"a": {"x": 1}}]}}])", ""},
           {R"([{"$match": {"a": 1}}, {"$redact": "$$KEEP"}, {"$match": {"k": 1}}])", "a"},
           {R"([{"$match": {}}, {"$redact": "$$KEEP"}, {"$match": {"k": 1}}])", "k"},
       }) {
    EXPECT_EQ(head_paths(each.stages), each.paths) << each.stages;
  }
}

}  // namespace
}  // namespace scattergate::sim
