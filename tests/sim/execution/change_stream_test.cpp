#include "sim/execution/change_stream.hpp"

#include <vector>

#include "tests/sim/simulator_fixture.hpp"

namespace scattergate::sim {
namespace {

class change_streams : public simulated {
 protected:
  /// Opens a stream with these options of `$changeStream`, keeps the cursor's id, and returns
  /// the kinds of the first events.
  std::string watch(const std::string& options, const std::string& more = "",
                    const std::string& on = R"("c")") {
    const document reply = run_ok(R"({"aggregate": )" + on + R"(, "cursor": {}, "pipeline": [
        {"$changeStream": )" + options +
                                  "}" + more + "]}");
    const document& cursor = document_argument(reply, "cursor");
    id_ = number_argument(cursor, "id", 0);
    collection_ = text_argument(cursor, "ns").substr(2);
    EXPECT_NE(id_, 0);
    return kinds(events_of(cursor, "firstBatch"));
  }

  /// The stream's next events.
  std::vector<document> next() {
    const document reply = run("d", document{{"getMore", id_}, {"collection", collection_}});
    EXPECT_EQ(number_argument(reply, "ok", 0), 1) << to_json(reply);
    const document& cursor = document_argument(reply, "cursor");
    id_ = number_argument(cursor, "id", 0);
    return events_of(cursor, "nextBatch");
  }

  std::vector<document> events_of(const document& cursor, const char* batch) {
    token_ = document_argument(cursor, "postBatchResumeToken");
    std::vector<document> out;
    for (const value& each : array_argument(cursor, batch)) out.push_back(*each.as<document>());
    return out;
  }

  /// The operationTypes of events, joined by spaces.
  static std::string kinds(const std::vector<document>& events) {
    std::string out;
    for (const document& each : events) {
      out += (out.empty() ? "" : " ") + text_argument(each, "operationType");
    }
    return out;
  }

  std::int64_t id_ = 0;
  std::string collection_;
  document token_;
};

TEST_F(change_streams, has_an_event_for_each_later_change) {
  shard_by_k();
  fill();
  watch("{}");
  run_ok(R"({"insert": "c", "documents": [{"_id": 9, "k": 7, "a": {"b": 1, "c": 2}}]})");
  run_ok(R"({"insert": "elsewhere", "documents": [{"_id": 1}]})");
  run_ok(R"({"update": "c", "updates": [{"q": {"k": 7}, "u": {"$set": {"a.b": 5, "l": [1]},
             "$unset": {"a.c": 1}}}]})");
  run_ok(R"({"update": "c", "updates": [{"q": {"k": 7}, "u": {"k": 7}}]})");
  run_ok(R"({"delete": "c", "deletes": [{"q": {"k": 7}, "limit": 1}]})");
  const auto events = next();
  ASSERT_EQ(kinds(events), "insert update replace delete");
  EXPECT_EQ(to_json(document_argument(events[0], "documentKey")),
            to_json(from_json(R"({"k": 7, "_id": 9})")));
  EXPECT_EQ(to_json(document_argument(events[0], "fullDocument")),
            to_json(from_json(R"({"_id": 9, "k": 7, "a": {"b": 1, "c": 2}})")));
  EXPECT_EQ(to_json(document_argument(events[1], "updateDescription")),
            to_json(from_json(R"({"updatedFields": {"a.b": 5, "l": [1]},
                                  "removedFields": ["a.c"], "truncatedArrays": []})")));
  EXPECT_FALSE(events[1].has("fullDocument"));
}

TEST_F(change_streams, waits_for_events_and_then_replies_without) {
  watch("{}");
  const document more{{"getMore", id_}, {"collection", "c"}, {"maxTimeMS", std::int32_t{70}}};
  EXPECT_EQ(simulator_.run(client_, request{"getMore", "d", more, false}).retry_for.count(),
            70);
  run_ok(R"({"insert": "c", "documents": [{"_id": 1}]})");
  EXPECT_EQ(simulator_.run(client_, request{"getMore", "d", more, false}).retry_for.count(), 0);
}

TEST_F(change_streams, resumes_after_a_token) {
  watch("{}");
  run_ok(R"({"insert": "c", "documents": [{"_id": 1}, {"_id": 2}]})");
  const auto events = next();
  run_ok(R"({"delete": "c", "deletes": [{"q": {"_id": 1}, "limit": 1}]})");
  const auto from = [&](const document& token) {
    return watch(R"({"resumeAfter": )" + to_json(token) + "}", "", "1");
  };
  const document after_all = token_;
  EXPECT_EQ(from(document_argument(events[0], "_id")), "insert delete");
  run_ok(R"({"insert": "other", "documents": [{}]})");
  EXPECT_EQ(kinds(next()), "insert");
  EXPECT_EQ(from(after_all), "delete insert");
  EXPECT_EQ(code_of(R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$changeStream":
                        {"resumeAfter": {"_data": "0"}}}]})"),
            260);
  EXPECT_EQ(code_of(R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$changeStream":
                        {"showExpandedEvents": true}}]})"),
            115);
}

TEST_F(change_streams, runs_its_stages_and_looks_documents_up) {
  run_ok(R"({"insert": "c", "documents": [{"_id": 1, "n": 1}]})");
  watch(R"({"fullDocument": "updateLookup"})",
        R"(, {"$match": {"operationType": "update"}}, {"$project": {"fullDocument": 1}})");
  run_ok(R"({"insert": "c", "documents": [{"_id": 2}]})");
  run_ok(R"({"update": "c", "updates": [{"q": {"_id": 1}, "u": {"$inc": {"n": 1}}}]})");
  const auto events = next();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(number_argument(document_argument(events[0], "fullDocument"), "n", 0), 2);
}

TEST_F(change_streams, sees_a_transaction_when_it_commits) {
  run_ok(R"({"create": "c"})");
  watch("{}");
  const std::string session = R"("txnNumber": {"$numberLong": "1"}, "autocommit": false,
      "lsid": {"id": {"$binary": {"base64": "AAAAAAAAAAAAAAAAAAAAAA==", "subType": "04"}}}})";
  run_ok(R"({"insert": "c", "documents": [{"_id": 1}], "startTransaction": true, )" + session);
  EXPECT_EQ(kinds(next()), "");
  run_ok("admin", R"({"commitTransaction": 1, )" + session);
  EXPECT_EQ(kinds(next()), "insert");
}

TEST_F(change_streams, ends_when_its_collection_is_dropped) {
  run_ok(R"({"create": "c"})");
  watch("{}");
  run_ok(R"({"drop": "c"})");
  EXPECT_EQ(kinds(next()), "drop invalidate");
  EXPECT_EQ(id_, 0);
}

TEST_F(change_streams, refuses_a_position_that_is_too_old) {
  watch("{}");
  const std::string old = to_json(token_);
  for (int i = 0; i < 101; ++i) {
    document each{{"insert", "c"}};
    array documents;
    for (int j = 0; j < 100; ++j) documents.emplace_back(document{});
    each.append("documents", std::move(documents));
    run("d", each);
  }
  EXPECT_EQ(code_of(R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$changeStream":
                        {"resumeAfter": )" +
                    old + "}}]}"),
            286);
}

class views : public simulated {
 protected:
  void SetUp() override {
    shard_by_k();
    fill();
    run_ok(
        R"({"create": "large", "viewOn": "c", "pipeline": [{"$match": {"k": {"$gte": 10}}}]})");
    run_ok(R"({"create": "named", "viewOn": "large", "pipeline": [{"$addFields": {"n": 1}}]})");
  }
};

TEST_F(views, are_read_like_collections) {
  const auto ids = batch(R"({"find": "named", "filter": {"n": 1}, "sort": {"_id": -1},
                             "projection": {"_id": 1}})");
  EXPECT_EQ(to_json(document{{"r", ids}}),
            to_json(from_json(R"({"r": [{"_id": 4}, {"_id": 3}]})")));
  EXPECT_EQ(number_argument(run_ok(R"({"count": "named", "query": {"k": 15}})"), "n", 0), 1);
  EXPECT_EQ(array_argument(run_ok(R"({"distinct": "named", "key": "k"})"), "values").size(),
            2U);
  EXPECT_EQ(
      batch(R"({"aggregate": "named", "cursor": {}, "pipeline": [{"$limit": 1}]})").size(), 1U);
  EXPECT_EQ(batch(R"({"aggregate": "x", "cursor": {}, "pipeline": [{"$unionWith": "named"}]})")
                .size(),
            2U);
  // Only the shard of k >= 10 was asked.
  EXPECT_EQ(count_on(1, "aggregate"), 0);
  EXPECT_EQ(count_on(2, "aggregate"), 5);
  const document plan = run_ok(R"({"explain": {"find": "named", "filter": {"k": 15}}})");
  EXPECT_EQ(document_argument(plan, "shards").size(), 1U);
}

TEST_F(views, refuse_what_needs_a_collection) {
  for (const char* command :
       {R"({"insert": "named", "documents": [{"a": 1}]})",
        R"({"update": "named", "updates": [{"q": {}, "u": {"$set": {"a": 1}}}]})",
        R"({"collStats": "named"})",
        R"({"createIndexes": "named", "indexes": [{"key": {"a": 1}}]})",
        R"({"explain": {"delete": "named", "deletes": [{"q": {}, "limit": 1}]}})",
        R"({"aggregate": "named", "cursor": {}, "pipeline": [{"$changeStream": {}}]})"}) {
    EXPECT_EQ(code_of(command), 166) << command;
  }
  EXPECT_EQ(number_argument(run("admin", R"({"shardCollection": "d.named", "key": {"k": 1}})"),
                            "code", 0),
            166);
  run_ok(R"({"create": "a", "viewOn": "b"})");
  run_ok(R"({"create": "b", "viewOn": "a"})");
  EXPECT_EQ(code_of(R"({"find": "a"})"), 165);
}

TEST_F(views, are_listed_and_dropped) {
  const auto listed = batch(R"({"listCollections": 1, "filter": {"type": "view"}})");
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(
      text_argument(document_argument(*listed.front().as<document>(), "options"), "viewOn"),
      "c");
  run_ok(R"({"drop": "named"})");
  EXPECT_TRUE(batch(R"({"find": "named"})").empty());
}

TEST_F(views, beside_them_coll_stats_and_samples_are_read) {
  const auto stats = batch(R"({"aggregate": "c", "cursor": {}, "pipeline": [
      {"$collStats": {"count": {}, "storageStats": {}}}, {"$sort": {"shard": -1}}]})");
  ASSERT_EQ(stats.size(), 3U);
  EXPECT_EQ(text_argument(*stats.front().as<document>(), "shard"), "shard3");
  EXPECT_EQ(number_argument(*stats.front().as<document>(), "count", 0), 2);
  EXPECT_EQ(batch(R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$sample": {"size": 3}}]})")
                .size(),
            3U);
  EXPECT_EQ(code_of(R"({"aggregate": "c", "cursor": {}, "pipeline": [{"$sample": {}}]})"),
            28747);
}

}  // namespace
}  // namespace scattergate::sim
