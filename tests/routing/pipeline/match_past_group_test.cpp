#include "tests/routing/pipeline/pipeline_support.hpp"

/// A $match that comes past a $group (mongo: document_source_group.cpp, getModifiedPaths;
/// document_source.cpp, groupMatchSwapVerified; jstests/aggregation/sources/match/
/// group_match_swap.js), as a 4.4.0 mongos shows it.
namespace scattergate::routing_tests {
namespace {

TEST(match_past_group, the_key_of_a_group_is_a_renamed_field) {
  for (const std::string_view version : {"4.4", "5.0", "8.0"}) {
    expect_by_p(
        {
            {R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": 15}}])", one_shard},
            {R"([{"$group": {"_id": "$$ROOT.p"}}, {"$match": {"_id": 15}}])", one_shard},
            {R"([{"$group": {"_id": {"k": "$p"}}}, {"$match": {"_id.k": 15}}])", one_shard},
            {R"([{"$group": {"_id": {"k": {"j": "$p"}}}}, {"$match": {"_id.k.j": 15}}])",
             one_shard},
            {R"([{"$group": {"_id": {"k": "$p", "j": "$q"}}},
                 {"$match": {"_id.k": 15, "_id.j": 1}}])",
             one_shard},
            {R"([{"$sortByCount": "$p"}, {"$match": {"_id": 15}}])", one_shard},
            {R"([{"$sortByCount": "$p"}, {"$sort": {"count": 1}}, {"$match": {"_id": 15}}])",
             one_shard},
            {R"([{"$group": {"_id": "$p", "n": {"$sum": 1}}},
                 {"$match": {"_id": {"$gte": 12, "$lt": 15}, "n": 3}}])",
             one_shard},
            {R"([{"$group": {"_id": "$p"}}, {"$group": {"_id": "$_id"}},
                 {"$match": {"_id": 15}}])",
             one_shard},
        },
        version);
  }
}

TEST(match_past_group, before_4_4_nothing_comes_past) {
  expect_by_p({{R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": 15}}])", all_shards},
               {R"([{"$match": {"p": 15}}, {"$group": {"_id": "$p"}}])", one_shard}},
              "4.2");
}

TEST(match_past_group, what_is_computed_stays_behind) {
  expect_by_p(
      {
          {R"([{"$group": {"_id": "$x"}}, {"$match": {"p": 15}}])", all_shards},
          {R"([{"$group": {"_id": null, "p": {"$first": "$p"}}}, {"$match": {"p": 15}}])",
           all_shards},
          {R"([{"$group": {"_id": "$p.q"}}, {"$match": {"_id": 15}}])", all_shards},
          {R"([{"$group": {"_id": {"$add": ["$p", 0]}}}, {"$match": {"_id": 15}}])",
           all_shards},
          {R"([{"$group": {"_id": {"k": {"$add": ["$p", 0]}}}}, {"$match": {"_id.k": 15}}])",
           all_shards},
          {R"([{"$group": {"_id": {"k": "$p"}}}, {"$match": {"_id": {"k": 15}}}])", all_shards},
          {R"([{"$sortByCount": {"$add": ["$p", 0]}}, {"$match": {"_id": 15}}])", all_shards},
          {R"([{"$sortByCount": "$p"}, {"$match": {"count": 15}}])", all_shards},
          {R"([{"$count": "n"}, {"$match": {"p": 15}}])", all_shards},
      },
      "4.4");
}

TEST(match_past_group, who_asks_whether_the_key_exists_holds_all_back) {
  expect_by_p(
      {
          {R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": {"$exists": true, "$eq": 15}}}])",
           all_shards},
          {R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": 15, "$or": [{"n": 1},
               {"_id": {"$not": {"$exists": false}}}]}}])",
           all_shards},
          {R"([{"$sortByCount": "$p"}, {"$match": {"$nor": [{"_id": {"$exists": false}}]}},
               {"$match": {"_id": 15}}])",
           all_shards},
          // The first has come past before the second is looked at.
          {R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": 15}},
               {"$match": {"_id": {"$exists": true}}}])",
           one_shard},
          // 4.4 compares the path with _id alone.
          {R"([{"$group": {"_id": {"k": "$p"}}},
               {"$match": {"_id.k": {"$exists": true, "$eq": 15}}}])",
           one_shard},
          // It stays after the stage between, where the $group doesn't see it.
          {R"([{"$group": {"_id": "$p"}}, {"$addFields": {"x": 1}},
               {"$match": {"_id": 15, "$or": [{"x": 1}, {"_id": {"$exists": true}}]}}])",
           one_shard},
          {R"([{"$group": {"_id": "$p"}}, {"$project": {"k": "$_id"}},
               {"$match": {"k": {"$exists": true, "$eq": 15}}}])",
           all_shards},
      },
      "4.4");
}

TEST(match_past_group, later_versions_look_at_types_and_expressions_too) {
  expect_by_p({
      {R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": {"$type": "int", "$eq": 15}}}])",
       all_shards},
      {R"([{"$group": {"_id": {"k": "$p"}}},
           {"$match": {"_id.k": {"$exists": true, "$eq": 15}}}])",
       all_shards},
      {R"([{"$group": {"_id": {"k": "$p", "j": "$q"}}},
           {"$match": {"_id.k": {"$type": "int", "$eq": 15}}}])",
       all_shards},
  });
}

/// mongo: pipeline/optimization/match_rules.cpp, groupMatchSwapVerified and
/// ExpressionGroupSwapValidator (9.0); pipeline_test.cpp,
/// GroupShouldSwapWithMatchOnExprIfFilteringOnID,
/// GroupShouldSwapWithMatchIfFilteringByExistenceOnCompoundID.
TEST(match_past_group, comparisons_of_the_key_pass) {
  for (const std::string_view version : {"6.0.12", "7.0.12", "8.0.4", "8.2.0", "9.0.0"}) {
    expect_by_p(
        {
            {R"([{"$group": {"_id": "$p"}}, {"$match": {"$expr": {"$eq": ["$_id", 15]}}}])",
             one_shard},
            {R"([{"$group": {"_id": "$p"}}, {"$match": {"$expr": {"$and": [
                 {"$gte": ["$_id", 12]}, {"$not": [{"$gte": ["$_id", 15]}]},
                 {"$lt": ["$_id", 18]}]}}}])",
             one_shard},
            {R"([{"$sortByCount": "$p"}, {"$match": {"$expr": {"$lt": [12, "$_id"]},
                 "_id": {"$lt": 17}}}])",
             one_shard},
            {R"([{"$group": {"_id": "$p"}},
                 {"$match": {"_id": 15, "$expr": {"$eq": ["$n", {"$add": [1, 2]}]}}}])",
             one_shard},
            {R"([{"$group": {"_id": {"k": "$p", "j": "$q"}}},
                 {"$match": {"_id.k": 15, "_id.j": {"$exists": true}}}])",
             one_shard},
            // Null's bounds lie in the first chunk.
            {R"([{"$group": {"_id": {"k": "$p", "j": "$q"}}},
                 {"$match": {"_id.k": {"$exists": false}}}])",
             "single_shard 0"},
            {R"([{"$group": {"_id": "$p"}}, {"$match": {"$expr": {"$eq": ["$_id", null]}}}])",
             all_shards},
            {R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": 15,
                 "$expr": {"$eq": [{"$type": "$_id"}, "int"]}}}])",
             all_shards},
            {R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": 15,
                 "$expr": {"$in": ["$_id", [15, null]]}}}])",
             all_shards},
            {R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": 15,
                 "$expr": {"$ifNull": ["$_id", true]}}}])",
             all_shards},
            {R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": 15,
                 "$or": [{"n": 1}, {"$expr": {"$eq": ["$$ROOT", 1]}}]}}])",
             one_shard},
            {R"([{"$group": {"_id": {"k": "$p"}}},
                 {"$match": {"_id.k": {"$exists": false}}}])",
             all_shards},
        },
        version);
  }
}

TEST(match_past_group, who_reads_the_whole_key_holds_its_parts_back) {
  expect_by_p(
      {
          {R"([{"$group": {"_id": {"k": "$p"}}},
               {"$match": {"_id.k": 15, "_id": {"$ne": null}}}])",
           all_shards},
          {R"([{"$group": {"_id": {"k": "$p"}}}, {"$match": {"_id": {"$ne": null}}},
               {"$match": {"_id.k": 15}}])",
           all_shards},
          {R"([{"$project": {"a.b": 1, "p": 1}}, {"$match": {"a": 1, "p": 15}}])", one_shard},
      },
      "4.4");
}

/// mongo: document_source_group.cpp, pushDotRenamedMatch; jstests/aggregation/sources/group/
/// grouped_match_push_down.js, both at 244f33b7433c and later, the latter with requires_fcv_71.
constexpr pipeline_row of_a_part_of_the_key[] = {
    {R"([{"$group": {"_id": {"c": "$p"}}}, {"$project": {"m": "$_id.c"}},
         {"$match": {"m": 15}}])",
     one_shard},
    {R"([{"$group": {"_id": {"c": "$p"}, "c": {"$sum": 1}}}, {"$project": {"m": "$_id.c", "c": 1}},
         {"$match": {"m": 15, "c": 2}}])",
     one_shard},
    {R"([{"$group": {"_id": {"c": {"d": "$p"}}}}, {"$project": {"m": "$_id.c"}},
         {"$match": {"m.d": 15}}])",
     one_shard},
};

TEST(match_past_group, a_project_renames_a_part_of_the_key_right_behind_it) {
  for (const pipeline_row& each : of_a_part_of_the_key) {
    for (const std::string_view version : {"7.1", "8.0", "8.2", "9.0"}) {
      expect_by_p({each}, version);
    }
  }
}

TEST(match_past_group, other_dotted_references_rename_nothing) {
  expect_by_p({
      {R"([{"$group": {"_id": {"c": {"d": "$p"}}}}, {"$project": {"m": "$_id.c.d"}},
           {"$match": {"m": 15}}])",
       all_shards},
      {R"([{"$group": {"_id": {"c": "$p"}}}, {"$addFields": {"m": "$_id.c"}},
           {"$match": {"m": 15}}])",
       all_shards},
      {R"([{"$group": {"_id": {"c": "$p"}}}, {"$sort": {"_id": 1}},
           {"$project": {"m": "$_id.c"}}, {"$match": {"m": 15}}])",
       all_shards},
      {R"([{"$group": {"_id": {"c": "$p"}}}, {"$project": {"m": "$_id.c"}},
           {"$sort": {"m": 1}}, {"$match": {"m": 15}}])",
       all_shards},
      {R"([{"$group": {"_id": {"c": "$p"}}}, {"$project": {"m": "$_id.d"}},
           {"$match": {"m": 15}}])",
       all_shards},
      {R"([{"$group": {"_id": "$p"}}, {"$project": {"m": "$_id.c"}}, {"$match": {"m": 15}}])",
       all_shards},
      {R"([{"$group": {"_id": {"c": "$p"}}}, {"$project": {"m": "$_id.c"}},
           {"$match": {"m": {"$exists": true, "$eq": 15}}}])",
       all_shards},
      {R"([{"$project": {"m": "$p.c"}}, {"$match": {"m": 15}}])", all_shards},
      {R"([{"$group": {"_id": {"c": "$p"}}}, {"$project": {"_id": 0, "m": {"k": "$_id.c"}}},
           {"$match": {"m.k": {"$gte": 12, "$lt": 15}}}])",
       all_shards},
      {R"([{"$group": {"_id": {"c": "$p"}}}, {"$project": {"m": "$_id.c"}},
           {"$match": {"m": {"$elemMatch": {"$eq": 15}}}}])",
       all_shards},
  });
  for (const pipeline_row& each : of_a_part_of_the_key) {
    for (const std::string_view version : {"4.4.0", "5.0.0", "6.0.12", "7.0.12"}) {
      expect_by_p({{each.pipeline, all_shards}}, version);
    }
  }
}

}  // namespace
}  // namespace scattergate::routing_tests
