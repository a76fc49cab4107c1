#include "sim/execution/pipeline.hpp"

#include "tests/sim/simulator_fixture.hpp"

namespace scattergate::sim {
namespace {

class pipelines : public simulated {
 protected:
  void SetUp() override {
    run_ok(R"({"insert": "u", "documents": [
        {"_id": 1, "g": "a", "n": 1, "t": [1, 2]}, {"_id": 2, "g": "a", "n": 2, "t": []},
        {"_id": 3, "g": "b", "n": 3, "t": [3]}]})");
    run_ok(R"({"insert": "v", "documents": [{"_id": 10, "ref": 1}, {"_id": 11, "ref": 1},
                                            {"_id": 12, "ref": 3}]})");
  }

  std::string results(const std::string& stages) {
    document wrapped{
        {"r", batch(R"({"aggregate": "u", "cursor": {}, "pipeline": )" + stages + "}")}};
    return to_json(wrapped);
  }
  static std::string expected(const std::string& documents) {
    return to_json(from_json(R"({"r": )" + documents + "}"));
  }
};

TEST_F(pipelines, group_and_accumulate) {
  EXPECT_EQ(results(R"([{"$group": {"_id": "$g", "s": {"$sum": "$n"}, "a": {"$avg": "$n"},
                "lo": {"$min": "$n"}, "hi": {"$max": "$n"}, "f": {"$first": "$n"},
                "l": {"$last": "$n"}, "p": {"$push": "$n"}, "c": {"$sum": 1}}},
                {"$sort": {"_id": 1}}])"),
            expected(R"([{"_id": "a", "s": 3, "a": 1.5, "lo": 1, "hi": 2, "f": 1, "l": 2,
                          "p": [1, 2], "c": 2},
                         {"_id": "b", "s": 3, "a": 3.0, "lo": 3, "hi": 3, "f": 3, "l": 3,
                          "p": [3], "c": 1}])"));
}

TEST_F(pipelines, reshape_documents) {
  EXPECT_EQ(
      results(R"([{"$match": {"n": {"$gt": 1}}}, {"$addFields": {"m": {"$add": ["$n", 1]}}},
                        {"$project": {"m": 1, "_id": 0}}, {"$sort": {"m": -1}}, {"$limit": 1}])"),
      expected(R"([{"m": 4}])"));
  EXPECT_EQ(results(R"([{"$unwind": "$t"}, {"$project": {"t": 1}}])"),
            expected(R"([{"_id": 1, "t": 1}, {"_id": 1, "t": 2}, {"_id": 3, "t": 3}])"));
  EXPECT_EQ(results(R"([{"$match": {"g": "a"}}, {"$count": "n"}])"), expected(R"([{"n": 2}])"));
  EXPECT_EQ(results(R"([{"$unset": ["g", "t"]}, {"$skip": 2}])"),
            expected(R"([{"_id": 3, "n": 3}])"));
}

TEST_F(pipelines, join_collections) {
  EXPECT_EQ(results(R"([{"$lookup": {"from": "v", "localField": "_id", "foreignField": "ref",
                         "as": "v"}}, {"$project": {"v._id": 1}}])"),
            expected(R"([{"_id": 1, "v": [{"_id": 10}, {"_id": 11}]}, {"_id": 2, "v": []},
                         {"_id": 3, "v": [{"_id": 12}]}])"));
  EXPECT_EQ(results(R"([{"$match": {"_id": 1}}, {"$lookup": {"from": "v", "let": {"i": "$_id"},
                "pipeline": [{"$match": {"$expr": {"$eq": ["$ref", "$$i"]}}},
                {"$project": {"_id": 1}}], "as": "v"}}, {"$project": {"v": 1}}])"),
            expected(R"([{"_id": 1, "v": [{"_id": 10}, {"_id": 11}]}])"));
  EXPECT_EQ(results(R"([{"$project": {"_id": 1}}, {"$unionWith": "v"}, {"$count": "n"}])"),
            expected(R"([{"n": 6}])"));
}

/// mongo 4.4: cluster_aggregate.cpp; later versions join sharded collections.
TEST_F(pipelines, join_no_sharded_collection_before_5_1) {
  run_ok("admin", R"({"shardCollection": "d.far", "key": {"k": 1}})");
  const std::string join = R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$facet": {"f": [
      {"$lookup": {"from": "far", "localField": "k", "foreignField": "k", "as": "o"}}]}}]})";
  const std::string out = R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$out": "far"}]})";
  for (const char* version : {"5.0", "6.0"}) {
    simulator_.contents().data.simulate(release_named(version).value());
    EXPECT_EQ(code_of(join), std::string{version} == "5.0" ? 28769 : 0) << version;
    EXPECT_EQ(code_of(out), 28769) << version;
  }
}

TEST_F(pipelines, merge_by_the_targets_shard_key) {
  run_ok("admin", R"({"shardCollection": "d.far", "key": {"k": "hashed"}})");
  run_ok(R"({"insert": "from", "documents": [{"_id": 1, "k": 7}]})");
  run_ok(R"({"aggregate": "from", "cursor": {}, "pipeline": [{"$merge": "far"}]})");
  EXPECT_EQ(batch(R"({"find": "far", "filter": {"k": 7}})").size(), 1U);
  EXPECT_EQ(code_of(R"({"aggregate": "from", "cursor": {},
                        "pipeline": [{"$merge": {"into": "far", "on": "x"}}]})"),
            51190);
}

/// mongo: document_source_list_search_indexes.cpp runs on mongos; `$search` is no `$match`.
TEST_F(pipelines, search_where_mongos_would) {
  run_ok("admin", R"({"shardCollection": "d.far", "key": {"k": 1}})");
  const auto shards_of = [&](const std::string& stages) {
    const document reply =
        run(R"({"explain": {"aggregate": "far", "cursor": {}, "pipeline": )" + stages + "}}");
    return document_argument(reply, "shards").size();
  };
  EXPECT_EQ(shards_of(R"([{"$listSearchIndexes": {}}])"), 0U);
  EXPECT_EQ(shards_of(R"([{"$search": {"text": {}}}, {"$match": {"k": 1}}])"), 1U);
  EXPECT_EQ(code_of(R"({"aggregate": "far", "cursor": {},
                        "pipeline": [{"$vectorSearch": {"filter": {"k": 1}}}]})"),
            31082);
}

TEST_F(pipelines, write_their_results) {
  EXPECT_EQ(results(R"([{"$out": "w"}])"), expected("[]"));
  EXPECT_EQ(batch(R"({"find": "w"})").size(), 3U);
  EXPECT_EQ(results(R"([{"$match": {"_id": 1}}, {"$project": {"n": {"$literal": 7}}},
                        {"$merge": {"into": "w"}}])"),
            expected("[]"));
  EXPECT_EQ(batch(R"({"find": "w", "filter": {"n": 7, "g": "a"}})").size(), 1U);
}

TEST_F(pipelines, send_documents_several_ways) {
  EXPECT_EQ(results(R"([{"$facet": {"low": [{"$match": {"_id": 1}}, {"$project": {"_id": 1}}],
                                    "all": [{"$count": "n"}]}}])"),
            expected(R"([{"low": [{"_id": 1}], "all": [{"n": 3}]}])"));
}

TEST_F(pipelines, redact_documents_and_those_inside_them) {
  run_ok(
      R"({"insert": "r", "documents": [{"_id": 1, "in": {"_id": 2, "x": 1}, "y": [{"_id": 3}]},
                                          {"_id": 2}]})");
  EXPECT_EQ(batch(R"({"aggregate": "r", "cursor": {}, "pipeline": [{"$redact":
                {"$cond": [{"$eq": ["$_id", 2]}, "$$PRUNE", "$$DESCEND"]}}]})")
                .size(),
            1U);
  EXPECT_EQ(to_json(*batch(R"({"aggregate": "r", "cursor": {}, "pipeline": [{"$redact":
                {"$cond": [{"$eq": ["$_id", 2]}, "$$PRUNE", "$$DESCEND"]}}]})")
                         .front()
                         .as<document>()),
            to_json(from_json(R"({"_id": 1, "y": [{"_id": 3}]})")));
}

TEST_F(pipelines, stages_stand_where_they_may) {
  const auto code = [this](const std::string& stages) {
    return code_of(R"({"aggregate": "u", "cursor": {}, "pipeline": )" + stages + "}");
  };
  EXPECT_EQ(code(R"([{"$limit": 1}, {"$search": {}}])"), 40602);
  EXPECT_EQ(code(R"([{"$out": "v"}, {"$limit": 1}])"), 40601);
  EXPECT_EQ(code(R"([{"$facet": {"x": [{"$out": "v"}]}}, {"$limit": 1}])"), 40600);
  EXPECT_EQ(code(R"([{"$limit": 1}, {"$match": {"$or": [{"$text": {"$search": "x"}}]}}])"),
            17313);
  EXPECT_EQ(code(R"([{"$unionWith": {"coll": "v", "pipeline": [{"$limit": 1},
                         {"$search": {}}]}}, {"$limit": 1}])"),
            40602);
  EXPECT_EQ(code(R"([{"$facet": {"x": [{"$limit": 1}]}}])"), 0);
}

TEST_F(pipelines, variables_are_bound) {
  const auto code = [this](const std::string& condition) {
    return code_of(R"({"find": "u", "filter": {"$expr": )" + condition + "}}");
  };
  EXPECT_EQ(code(R"({"$eq": ["$n", "$$x"]})"), 17276);
  EXPECT_EQ(code(R"({"$let": {"vars": {"x": "$$x"}, "in": 1}})"), 17276);
  EXPECT_EQ(code(R"({"$let": {"vars": {"x": 1}, "in": {"$eq": ["$n", "$$x"]}}})"), 0);
  EXPECT_EQ(code(R"({"$eq": ["$n", {"$literal": "$$x"}]})"), 0);
  EXPECT_EQ(code(R"({"$eq": ["$$ROOT.n", "$$REMOVE"]})"), 0);
}

TEST_F(pipelines, counts_are_not_negative) {
  EXPECT_EQ(code_of(R"({"find": "u", "limit": -1})"), 51024);
  EXPECT_EQ(code_of(R"({"find": "u", "skip": -1})"), 51024);
  EXPECT_EQ(code_of(R"({"count": "u", "skip": -1})"), 51024);
  EXPECT_EQ(code_of(R"({"count": "u", "limit": -1})"), 0);
}

}  // namespace
}  // namespace scattergate::sim
