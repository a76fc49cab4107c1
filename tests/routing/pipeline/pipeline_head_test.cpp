#include "tests/routing/pipeline/pipeline_support.hpp"

/// The move of a $match towards the head of a pipeline, after mongo's pipeline_test.cpp.
namespace scattergate::routing_tests {
namespace {

TEST(pipeline_head, a_renamed_field_counts_as_what_it_was) {
  expect_by_p({
      {R"([{"$project": {"x": "$p"}}, {"$match": {"x": 15}}])", one_shard},
      {R"([{"$project": {"_id": true, "x": "$$ROOT.p"}}, {"$match": {"x": 15}}])", one_shard},
      {R"([{"$addFields": {"x": "$$CURRENT.p"}}, {"$match": {"x": 15}}])", one_shard},
      {R"([{"$set": {"x": "$p"}}, {"$match": {"x": {"$in": [15, 16]}}}])", one_shard},
      {R"([{"$project": {"p": "$p"}}, {"$match": {"p": 15}}])", one_shard},
      {R"([{"$project": {"c": "$p", "_id": false}}, {"$addFields": {"b": "$c"}},
           {"$project": {"a": "$b", "z": 1}}, {"$match": {"a": 15, "z": 2}}])",
       one_shard},
      {R"([{"$addFields": {"x": "$p"}}, {"$match": {"p": 15}}])", one_shard},
      {R"([{"$addFields": {"x": "$p"}}, {"$match": {"$expr": {"$eq": ["$x", 15]}}}])",
       one_shard},
      {R"([{"$addFields": {"x": "$p"}}, {"$match": {"$or": [{"x": 15}, {"x": 16}]}}])",
       one_shard},
      {R"([{"$addFields": {"x": "$p"}}, {"$match": {"x": {"$type": "string"}}}])",
       "single_shard 2"},
  });
}

// mongo: projection_node.cpp, ProjectionNode::reportComputedPaths;
// match_swapping_renamed_fields.js.
TEST(pipeline_head, what_is_written_below_the_top_level_renames_nothing) {
  const auto expect = [](std::string_view where, std::string_view version) {
    expect_by_p({{R"([{"$addFields": {"a.b": "$p"}}, {"$match": {"a.b": 15}}])", where},
                 {R"([{"$addFields": {"a": {"b": "$p"}}}, {"$match": {"a.b": 15}}])", where}},
                version);
  };
  expect(one_shard, "4.4");
  for (const std::string_view version : {"6.0", "7.0", "8.0", "9.0"})
    expect(all_shards, version);
}

// mongo: pipeline/expression.cpp, ExpressionMap::getComputedPaths; expression.h in 8.x has
// none.
TEST(pipeline_head, a_map_renamed_the_fields_of_members) {
  auto entries = catalog_of(R"({"x.c": 1})", R"([{"x.c": 0}, {"x.c": 10}])", "4.4");
  const auto where = [&](const std::string& map, const std::string& filter) {
    return judged(entries, R"({"aggregate": "c", "cursor": {}, "pipeline": [
        {"$addFields": {"a": {"$map": )" +
                               map + R"(}}}, {"$match": )" + filter + "}]}")
        .where();
  };
  const std::string renames = R"({"input": "$x", "as": "i", "in": {"b": "$$i.c"}})";
  EXPECT_EQ(where(renames, R"({"a.b": 5})"), "single_shard 1");
  EXPECT_EQ(where(R"({"input": "$x", "in": {"b": "$$this.c"}})", R"({"a.b": 5})"),
            "single_shard 1");
  EXPECT_EQ(where(R"({"input": "$x", "in": {"b": {"d": "$$this.c"}}})", R"({"a.b.d": 5})"),
            "single_shard 1");
  EXPECT_EQ(where(R"({"input": "$x", "in": "$$this.c"})", R"({"a": 5})"), "single_shard 1");
  for (const std::string filter : {R"({"a": 5})", R"({"a.c": 5})", R"({"a.b.d": 5})"}) {
    EXPECT_EQ(where(renames, filter), "scatter_gather 0,1,2") << filter;
  }
  for (const std::string map : {R"({"input": "$x", "as": "i", "in": {"b": "$$j.c"}})",
                                R"({"input": "$x", "as": "i", "in": {"b": "$$i.c.d"}})",
                                R"({"input": "$x.y", "as": "i", "in": {"b": "$$i.c"}})",
                                R"({"input": "$x", "as": "i", "in": "$$i.c"})",
                                R"({"input": "$x", "as": "i", "in": {"b": "$c"}})"}) {
    EXPECT_EQ(where(map, R"({"a.b": 5})"), "scatter_gather 0,1,2") << map;
  }
  for (const std::string_view version : {"6.0", "7.0", "8.0", "8.2", "9.0"}) {
    entries = catalog_of(R"({"x.c": 1})", R"([{"x.c": 0}, {"x.c": 10}])", version);
    EXPECT_EQ(where(renames, R"({"a.b": 5})"), "scatter_gather 0,1,2") << version;
    EXPECT_EQ(where(R"({"input": "$x", "in": "$$this.c"})", R"({"a": 5})"),
              "scatter_gather 0,1,2")
        << version;
  }
}

// mongo: pipeline_test.cpp, RemoveSkipZero; pipeline.cpp, optimizeContainer removes it last.
TEST(pipeline_head, a_leading_skip_of_nothing_is_removed) {
  expect_by_p({
      {R"([{"$skip": 0}, {"$match": {"p": 15}}])", one_shard},
      {R"([{"$match": {}}, {"$skip": 0}, {"$sort": {"a": 1}}, {"$match": {"p": 15}}])",
       one_shard},
      {R"([{"$skip": 1}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$match": {"a": 1}}, {"$skip": 0}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$sort": {"a": 1}}, {"$skip": 0}, {"$match": {"p": 15}}])", all_shards},
  });
}

// mongo: pipeline_test.cpp, RemoveReplaceRootWithRoot.
TEST(pipeline_head, a_leading_root_that_stays_the_same_is_removed) {
  for (const std::string_view version : {"8.0.4", "8.2.0", "9.0.0"}) {
    const std::string_view where = version < "8.2" ? all_shards : one_shard;
    expect_by_p(
        {
            {R"([{"$replaceRoot": {"newRoot": "$$ROOT"}}, {"$match": {"p": 15}}])", where},
            {R"([{"$replaceWith": "$$ROOT"}, {"$sort": {"a": 1}}, {"$match": {"p": 15}}])",
             where},
            {R"([{"$replaceWith": "$a"}, {"$match": {"p": 15}}])", all_shards},
            {R"([{"$replaceRoot": {"newRoot": {"p": "$$ROOT"}}}, {"$match": {"p": 15}}])",
             all_shards},
            {R"([{"$unset": "a"}, {"$replaceWith": "$$ROOT"}, {"$match": {"p": 15}}])",
             all_shards},
        },
        version);
  }
}

TEST(pipeline_head, a_computed_field_is_another_one) {
  expect_by_p({
      {R"([{"$project": {"x": {"$add": ["$p", 1]}}}, {"$match": {"x": 15}}])", all_shards},
      {R"([{"$addFields": {"x": "$p.q"}}, {"$match": {"x": 15}}])", all_shards},
      {R"([{"$project": {"x": "$$CURRENT.p.q"}}, {"$match": {"x": 15}}])", all_shards},
      {R"([{"$project": {"p": "$q"}}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$addFields": {"p": "$q"}}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$project": {"p": {"$literal": 15}}}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$project": {"x": "$$NOW"}}, {"$match": {"x": 15}}])", all_shards},
      {R"([{"$addFields": {"p": {"q": 1}}}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$project": {"c": "$p"}}, {"$project": {"c": 0}}, {"$match": {"c": 15}}])",
       all_shards},
      {R"([{"$project": {"x": "$p"}}, {"$match": {"p": 15}}])", all_shards},
  });
}

TEST(pipeline_head, projections_hand_on_what_they_name) {
  expect_by_p({
      {R"([{"$project": {"p": 1, "x": {"$add": [1, 2]}}}, {"$match": {"p": 15}}])", one_shard},
      {R"([{"$project": {"p": true, "a": {"b": 1}}}, {"$match": {"p": 15, "a.c": 1}}])",
       one_shard},
      {R"([{"$project": {"_id": 1}}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$project": {"_id": 0}}, {"$match": {"p": 15}}])", one_shard},
      {R"([{"$project": {"_id": 0, "p": 1}}, {"$match": {"p": 15}}])", one_shard},
      {R"([{"$project": {"a": {"b": 0}}}, {"$match": {"p": 15, "a.b": 1}}])", one_shard},
      {R"([{"$project": {"a": {"b": 1}}}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$project": {"p": {"q": 0}}}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$project": {"p": {"q": 1}}}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$unset": ["x", "p.q"]}, {"$match": {"p": 15}}])", all_shards},
  });
}

TEST(pipeline_head, a_match_is_split_where_only_a_part_moves) {
  expect_by_p({
      {R"([{"$project": {"r": 0}}, {"$match": {"r": "x", "p": 15}}])", one_shard},
      {R"([{"$project": {"r": 0}}, {"$match": {"$and": [
            {"$expr": {"$eq": ["$r", "x"]}}, {"$expr": {"$eq": ["$p", 15]}}]}}])",
       one_shard},
      {R"([{"$project": {"p": 1}}, {"$match": {"p": {"$gte": 11}, "u": 4}},
           {"$match": {"p": {"$lt": 15}, "u": 5}}])",
       one_shard},
      {R"([{"$unwind": "$a"}, {"$match": {"b": {"$gt": 0}}}, {"$match": {"a": 1, "p": 15}}])",
       one_shard},
      {R"([{"$unwind": "$a"}, {"$match": {"$or": [{"a": 1}, {"p": 15}]}}])", all_shards},
      {R"([{"$unwind": "$a"}, {"$match": {"$or": [{"$and": [{"p": 15}, {"b": 1}]},
                                                {"p": 16}]}}])",
       one_shard},
      {R"([{"$unwind": {"path": "$a", "includeArrayIndex": "p"}}, {"$match": {"p": 15}}])",
       all_shards},
      {R"([{"$unwind": {"path": "$a", "includeArrayIndex": "i"}},
           {"$match": {"i": 0, "p": 15}}])",
       one_shard},
      {R"([{"$unwind": "$p.q"}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$addFields": {"x": 1}}, {"$match": {"$expr": {"$and": [
            {"$eq": ["$x", 1]}, {"$eq": ["$p", 15]}]}}}])",
       all_shards},
      {R"([{"$addFields": {"x": 1}}, {"$match": {"$expr": {"$eq": ["$$ROOT", 1]}, "p": 15}}])",
       one_shard},
  });
}

TEST(pipeline_head, joins_only_stand_in_the_way_of_what_they_add) {
  const std::string_view lookup =
      R"({"$lookup": {"from": "l", "localField": "x", "foreignField": "y", "as": "z"}})";
  const std::string_view graph = R"({"$graphLookup": {"from": "l", "startWith": "$x",
      "connectFromField": "x", "connectToField": "y", "as": "z"}})";
  for (const std::string_view join : {lookup, graph}) {
    const std::string start = "[" + std::string{join} + ",";
    const std::string moved = start + R"({"$match": {"p": 15, "z.a": 1}}])";
    const std::string unwound = start + R"({"$unwind": "$z"}, {"$match": {"p": 15}}])";
    const std::string kept = start + R"({"$match": {"$or": [{"p": 15}, {"z": []}]}}])";
    expect_by_p({{moved, one_shard}, {unwound, one_shard}, {kept, all_shards}});
  }
  expect_by_p({{R"([{"$lookup": {"from": "l", "localField": "x", "foreignField": "y",
                    "as": "p"}}, {"$match": {"p": 15}}])",
                all_shards}});
}

TEST(pipeline_head, a_copy_that_no_hidden_field_can_spoil_runs_before_redact) {
  const auto behind = [](std::string_view match) {
    return R"([{"$redact": "$$PRUNE"}, {"$match": )" + std::string{match} + "}]";
  };
  expect_by_p({
      {behind(R"({"p": 15, "b": null})"), one_shard},
      {behind(R"({"p": {"$in": [15, 16]}})"), one_shard},
      {behind(R"({"p": {"$gte": 15, "$lt": 17}})"), one_shard},
      {behind(R"({"$or": [{"p": 15}, {"p": 16}]})"), one_shard},
      {behind(R"({"p": null})"), all_shards},
      {behind(R"({"p": {"$ne": 15}})"), all_shards},
      {behind(R"({"p": {"$in": [15, null]}})"), all_shards},
      {behind(R"({"p": [15]})"), all_shards},
      {behind(R"({"p": {"$exists": false}})"), all_shards},
      {behind(R"({"$nor": [{"p": 15}]})"), all_shards},
      {behind(R"({"$expr": {"$eq": ["$p", 15]}})"), all_shards},
      {behind(R"({"$or": [{"p": 15}, {"b": {"$exists": 1}}]})"), all_shards},
  });
}

TEST(pipeline_head, some_stages_let_nothing_pass) {
  for (const std::string_view stage :
       {R"({"$limit": 3})", R"({"$skip": 3})", R"({"$sample": {"size": 3}})",
        R"({"$group": {"_id": "$x"}})", R"({"$sortByCount": "$x"})", R"({"$count": "n"})",
        R"({"$bucket": {"groupBy": "$x", "boundaries": [0, 1]}})",
        R"({"$bucketAuto": {"groupBy": "$x", "buckets": 2}})",
        R"({"$facet": {"f": [{"$match": {"p": 15}}]}})",
        R"({"$replaceRoot": {"newRoot": "$x"}})", R"({"$replaceWith": "$x"})",
        R"({"$densify": {"field": "x", "range": {"step": 1,
            "bounds": "full"}}})",
        R"({"$fill": {"output": {"x": {"method": "locf"}}}})",
        R"({"$fill": {"output": {"x": {"value": 0}, "y": {"method": "locf"}}}})",
        R"({"$setWindowFields": {"partitionBy": "$p", "output": {"n": {"$sum": 1}}}})"}) {
    const std::string pipeline = "[" + std::string{stage} + R"(, {"$match": {"p": 15}}])";
    expect_by_p({{pipeline, all_shards}});
  }
}

// mongo: document_source_fill.cpp at 044d2f7: such a $fill is an $addFields.
TEST(pipeline_head, a_fill_by_values_only_stands_in_the_way_of_what_it_fills) {
  expect_by_p({
      {R"([{"$fill": {"output": {"x": {"value": 0}}}}, {"$match": {"p": 15}}])", one_shard},
      {R"([{"$fill": {"output": {"x": {"value": 0}, "y": {"value": 0}}}},
           {"$match": {"p": 15, "x": 1}}])",
       one_shard},
      {R"([{"$fill": {"output": {"p": {"value": 0}}}}, {"$match": {"p": 15}}])", all_shards},
      {R"([{"$fill": {"output": {"x": {"value": 0}, "p": {"value": 0}}}}, {"$match": {"p": 15}}])",
       all_shards},
      {R"([{"$fill": {"sortBy": {"t": 1}, "output": {"x": {"method": "linear"}}}},
           {"$match": {"p": 15}}])",
       all_shards},
  });
}

TEST(pipeline_head, what_stands_behind_a_union_holds_for_both_sides) {
  expect_by_p({
      {R"([{"$unionWith": "c"}, {"$match": {"p": 15}}])", one_shard},
      {R"([{"$match": {"p": 15}}, {"$unionWith": "c"}])", all_shards},
      {R"([{"$unionWith": {"coll": "c", "pipeline": [{"$match": {"p": {"$gt": 12}}}]}},
           {"$sort": {"x": 1}}, {"$match": {"p": {"$lt": 15}}}])",
       "multi_shard 0,1"},
      {R"([{"$match": {"p": 15}}, {"$unionWith": {"coll": "c", "pipeline": [{"$limit": 1}]}},
           {"$match": {"p": 15}}])",
       all_shards},
  });
}

TEST(pipeline_head, a_match_on_what_a_lookup_found_holds_for_its_collection) {
  const auto entries = catalog_of(R"({"collections": [{"ns": "db.l"},
    {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}, {"p": 20}]}]})");
  const pipeline_row rows[] = {
      {R"({"$unwind": "$z"}, {"$match": {"z.p": 15}})", one_shard},
      {R"({"$unwind": {"path": "$z"}}, {"$sort": {"x": 1}}, {"$match": {"x": 1, "z.p": 15}})",
       one_shard},
      {R"({"$unwind": "$z"}, {"$match": {"$or": [{"z.p": 15}, {"z.p": 16}]}})", one_shard},
      {R"({"$unwind": "$z"}, {"$match": {"$or": [{"z.p": 15}, {"x": 16}]}})", all_shards},
      {R"({"$unwind": "$z"}, {"$match": {"$expr": {"$eq": ["$z.p", 15]}}})", all_shards},
      {R"({"$unwind": "$z"}, {"$match": {"z.p": 15, "x": 1}})", one_shard},
      {R"({"$unwind": "$z"}, {"$match": {"$nor": [{"z.p": {"$lt": 25}}, {"x": 1},
          {"z.p": {"$type": "string"}}]}})",
       all_shards},
      {R"({"$unwind": "$z"}, {"$match": {"z.p": 15, "$expr": {"$eq": ["$z.q", "$x"]}}})",
       all_shards},
      {R"({"$unwind": "$z"}, {"$match": {"z.p": 15, "z": {"$ne": null}}})", all_shards},
      {R"({"$unwind": "$z"}, {"$match": {"z.p": 15, "z.a": {"$elemMatch": {"b": 1}}}})",
       all_shards},
      {R"({"$unwind": "$z"}, {"$limit": 1}, {"$match": {"z.p": 15}})", all_shards},
      {R"({"$unwind": "$z"}, {"$match": {"p": 15}})", all_shards},
      {R"({"$unwind": "$z.y"}, {"$match": {"z.p": 15}})", all_shards},
      {R"({"$unwind": {"path": "$z", "preserveNullAndEmptyArrays": true}},
          {"$match": {"z.p": 15}})",
       all_shards},
      {R"({"$unwind": {"path": "$z", "includeArrayIndex": "i"}}, {"$match": {"z.p": 15}})",
       all_shards},
      {R"({"$match": {"z.p": 15}})", all_shards},
  };
  for (const pipeline_row& each : rows) {
    const std::string command = R"({"aggregate": "l", "pipeline": [{"$lookup": {"from": "c",
        "localField": "x", "foreignField": "y", "as": "z"}}, )" +
                                std::string{each.pipeline} + "]}";
    EXPECT_EQ(judged(entries, command).where(), each.where) << each.pipeline;
  }
}

/// Before 9.0 the patch level determines whether the second $match passes the $group (mongo:
/// document_source.cpp, groupMatchSwapVerified). If it does, the two contradict each other, and
/// 8.0 and 8.1 then ask all shards.
TEST(pipeline_head, a_match_that_may_pass_a_group_may_contradict_another) {
  constexpr std::string_view doubtful = R"([{"$group": {"_id": "$p"}}, {"$match": {"_id": 15}},
      {"$match": {"_id": {"$ne": 15}, "$expr": {"$in": ["$_id", [[1]]]}}}])";
  for (const char* version : {"8.0.4", "8.1.0"}) expect_by_p({{doubtful, all_shards}}, version);
  for (const char* version : {"7.0.12", "9.0.0"}) expect_by_p({{doubtful, one_shard}}, version);
}

TEST(pipeline_head, a_match_that_is_never_true_may_pass_any_stage_but_a_few) {
  expect_by_p({{R"([{"$match": {"p": 15}}, {"$count": "n"}, {"$match": {"x": {"$in": []}}}])",
                all_shards},
               {R"([{"$match": {"p": 15}}, {"$limit": 1}, {"$match": {"x": {"$in": []}}}])",
                one_shard}},
              "8.0.4");
}

TEST(pipeline_head, more_stages_than_are_remembered_let_nothing_pass) {
  std::string few = "[";
  std::string many = "[";
  for (int i = 0; i < 24; ++i) few += R"({"$addFields": {"x": 1}},)";
  for (int i = 0; i < 25; ++i) many += R"({"$addFields": {"x": 1}},)";
  few += R"({"$match": {"p": 15}}])";
  many += R"({"$match": {"p": 15}}])";
  expect_by_p({{few, one_shard}, {many, all_shards}});
}

}  // namespace
}  // namespace scattergate::routing_tests
