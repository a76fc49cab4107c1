#include "sim/simulator.hpp"

#include "sim/storage/config_db.hpp"
#include "tests/sim/simulator_fixture.hpp"

namespace scattergate::sim {
namespace {

using simulator_commands = simulated;

TEST_F(simulator_commands, documents_live_on_the_shard_of_their_chunk) {
  shard_by_k();
  fill();
  const auto& shards = simulator_.contents().data.shards();
  EXPECT_EQ(shards[0].stores.at("d.c")->size(), 1U);
  EXPECT_EQ(shards[1].stores.at("d.c")->size(), 1U);
  EXPECT_EQ(shards[2].stores.at("d.c")->size(), 2U);
}

TEST_F(simulator_commands, moving_a_chunk_moves_its_documents) {
  shard_by_k();
  fill();
  run_ok("admin", R"({"moveChunk": "d.c", "find": {"k": 15}, "to": "shard1"})");
  EXPECT_EQ(simulator_.contents().data.shards()[0].stores.at("d.c")->size(), 3U);
  EXPECT_EQ(batch(R"({"find": "c", "filter": {"k": 15}})").size(), 1U);
  EXPECT_EQ(count_on(0, "find"), 1);
  EXPECT_EQ(count_on(2, "find"), 0);
}

TEST_F(simulator_commands, a_scattering_find_is_seen_on_every_owner) {
  shard_by_k();
  fill();
  EXPECT_EQ(batch(R"({"find": "c", "filter": {"k": 5}})").size(), 1U);
  EXPECT_EQ(count_on(1, "find"), 1);
  EXPECT_EQ(batch(R"({"find": "c", "sort": {"k": -1}, "limit": 2})").size(), 2U);
  for (shard_index i = 0; i < 3; ++i) EXPECT_EQ(count_on(i, "find"), i == 1 ? 2 : 1);
}

TEST_F(simulator_commands, the_variables_of_a_command_target_its_filter) {
  shard_by_k();
  fill();
  const std::string let = R"(, "let": {"v": {"$add": [2, 3]}}})";
  const std::string filter = R"({"$expr": {"$eq": ["$k", "$$v"]}})";
  EXPECT_EQ(batch(R"({"find": "c", "filter": )" + filter + let).size(), 1U);
  run_ok(R"({"findAndModify": "c", "update": {"$set": {"z": 1}}, "query": )" + filter + let);
  run_ok(R"({"update": "c", "updates": [{"u": [{"$set": {"z": 2}}], "q": )" + filter + "}]" +
         let);
  run_ok(R"({"delete": "c", "deletes": [{"limit": 1, "q": )" + filter + "}]" + let);
  for (const char* command : {"find", "findAndModify", "update", "delete"}) {
    for (shard_index i = 0; i < 3; ++i) EXPECT_EQ(count_on(i, command), i == 1) << command;
  }
  EXPECT_EQ(code_of(R"({"find": "c", "filter": )" + filter + "}"), 17276);
}

TEST_F(simulator_commands, an_update_without_the_key_goes_where_mongos_sends_it) {
  shard_by_k();
  fill();
  run_ok(R"({"update": "c", "updates": [{"q": {"k": 5}, "u": {"$set": {"a": 1}}}]})");
  EXPECT_EQ(count_on(0, "update") + count_on(1, "update") + count_on(2, "update"), 1);
  run_ok(R"({"update": "c", "updates": [{"q": {"_id": 4}, "u": {"$set": {"a": 1}}}]})");
  EXPECT_EQ(count_on(0, "update") + count_on(1, "update") + count_on(2, "update"), 4);
  // Two phases: every shard is asked, one is written to.
  run_ok(R"({"update": "c", "updates": [{"q": {"a": 1}, "u": {"$set": {"b": 1}}}]})");
  EXPECT_EQ(count_on(0, "aggregate") + count_on(1, "aggregate") + count_on(2, "aggregate"), 3);
  EXPECT_EQ(count_on(0, "update") + count_on(1, "update") + count_on(2, "update"), 5);
  const document multi = run_ok(
      R"({"update": "c", "updates": [{"q": {}, "u": {"$inc": {"n": 1}}, "multi": true}]})");
  EXPECT_EQ(number_argument(multi, "nModified", 0), 4);
}

TEST_F(simulator_commands, changing_the_shard_key_moves_the_document) {
  shard_by_k();
  fill();
  const std::string update =
      R"("update": "c", "updates": [{"q": {"k": 5}, "u": {"$set": {"k": 20}}}])";
  EXPECT_EQ(array_argument(run("{" + update + "}"), "writeErrors").size(), 1U);
  document retryable = from_json("{" + update + "}");
  retryable.append("lsid", document{{"id", binary{4, std::string(16, 's')}}});
  retryable.append("txnNumber", std::int64_t{1});
  EXPECT_EQ(number_argument(run("d", retryable), "nModified", 0), 1);
  EXPECT_EQ(simulator_.contents().data.shards()[2].stores.at("d.c")->size(), 3U);
  // A retried statement isn't executed twice, and gets the same reply.
  EXPECT_EQ(number_argument(run("d", retryable), "nModified", 0), 1);
}

TEST_F(simulator_commands, unique_indexes_hold_and_must_begin_with_the_shard_key) {
  shard_by_k();
  EXPECT_EQ(code_of(R"({"createIndexes": "c", "indexes": [{"key": {"x": 1}, "name": "x",
                        "unique": true}]})"),
            67);
  run_ok(R"({"createIndexes": "c", "indexes": [{"key": {"k": 1, "x": 1}, "name": "kx",
             "unique": true}]})");
  run_ok(R"({"insert": "c", "documents": [{"k": 1, "x": 1}]})");
  const document reply = run(R"({"insert": "c", "ordered": false,
      "documents": [{"k": 1, "x": 1}, {"k": 1, "x": 2}, {"k": 1, "x": 2}]})");
  EXPECT_EQ(number_argument(reply, "n", 0), 1);
  const array errors = array_argument(reply, "writeErrors");
  ASSERT_EQ(errors.size(), 2U);
  const document& error = *errors[1].as<document>();
  EXPECT_EQ(number_argument(error, "index", 0), 2);
  EXPECT_EQ(number_argument(error, "code", 0), 11000);
  EXPECT_EQ(to_json(document_argument(error, "keyValue")),
            to_json(from_json(R"({"k": 1, "x": 2})")));
}

TEST_F(simulator_commands, an_id_is_unique_within_its_shard_only) {
  shard_by_k();
  run_ok(R"({"insert": "c", "documents": [{"_id": 1, "k": -1}, {"_id": 1, "k": 1}]})");
  EXPECT_EQ(batch(R"({"find": "c", "filter": {"_id": 1}})").size(), 2U);
  EXPECT_TRUE(run(R"({"insert": "c", "documents": [{"_id": 1, "k": 2}]})").has("writeErrors"));
  // The two can't live on one shard.
  EXPECT_EQ(
      number_argument(run("admin", R"({"moveChunk": "d.c", "find": {"k": 5}, "to": "shard1"})"),
                      "code", 0),
      11000);
  EXPECT_EQ(batch(R"({"find": "c", "filter": {"k": 1}})").size(), 1U);
}

TEST_F(simulator_commands, a_cursor_gives_everything_in_batches) {
  document insert{{"insert", "u"}};
  array documents;
  for (std::int32_t i = 0; i < 250; ++i) documents.emplace_back(document{{"_id", i}});
  insert.append("documents", std::move(documents));
  EXPECT_EQ(number_argument(run("d", insert), "n", 0), 250);
  const document first = run_ok(R"({"find": "u"})");
  const document& cursor = document_argument(first, "cursor");
  EXPECT_EQ(array_argument(cursor, "firstBatch").size(), 101U);
  const std::int64_t id = number_argument(cursor, "id", 0);
  ASSERT_NE(id, 0);
  const document more{{"getMore", id}, {"collection", "u"}, {"batchSize", std::int32_t{100}}};
  EXPECT_EQ(array_argument(document_argument(run("d", more), "cursor"), "nextBatch").size(),
            100U);
  const document last = run("d", more);
  EXPECT_EQ(array_argument(document_argument(last, "cursor"), "nextBatch").size(), 49U);
  EXPECT_EQ(number_argument(document_argument(last, "cursor"), "id", -1), 0);
  EXPECT_EQ(number_argument(run("d", more), "code", 0), 43);
}

TEST_F(simulator_commands, a_transaction_is_seen_outside_only_once_committed) {
  const std::string session =
      R"("lsid": {"id": {"$binary": {"base64": "AAAAAAAAAAAAAAAAAAAAAA==", "subType": "04"}}},
         "txnNumber": {"$numberLong": "1"}, "autocommit": false)";
  run_ok(R"({"insert": "u", "documents": [{"_id": 1, "a": 1}]})");
  run_ok(R"({"update": "u", "updates": [{"q": {"_id": 1}, "u": {"$set": {"a": 2}}}],
             "startTransaction": true, )" +
         session + "}");
  run_ok(R"({"insert": "u", "documents": [{"_id": 2}], )" + session + "}");
  EXPECT_EQ(batch(R"({"find": "u", "filter": {"a": 1}})").size(), 1U);
  EXPECT_EQ(batch(R"({"find": "u"})").size(), 1U);
  EXPECT_EQ(batch(R"({"find": "u", )" + session + "}").size(), 2U);
  // A write from outside conflicts, and is asked to try again.
  const document other =
      from_json(R"({"delete": "u", "deletes": [{"q": {"_id": 1}, "limit": 1}]})");
  EXPECT_TRUE(simulator_.run(client_, request{"delete", "d", other, false}).retry_for.count() >
              0);
  run_ok("admin", R"({"abortTransaction": 1, )" + session + "}");
  EXPECT_EQ(batch(R"({"find": "u", "filter": {"a": 1}})").size(), 1U);
  EXPECT_EQ(batch(R"({"find": "u"})").size(), 1U);
  const document after = run("admin", R"({"commitTransaction": 1, )" + session + "}");
  EXPECT_EQ(number_argument(after, "code", 0), 251);
  EXPECT_TRUE(after.has("errorLabels"));
}

/// mongo: db/commands/distinct.cpp, run.
TEST_F(simulator_commands, a_transaction_allows_no_distinct_on_a_sharded_collection) {
  shard_by_k();
  const std::string in_transaction = R"("key": "k", "txnNumber": {"$numberLong": "1"},
      "lsid": {"id": {"$binary": {"base64": "AAAAAAAAAAAAAAAAAAAAAA==", "subType": "04"}}},
      "autocommit": false, "startTransaction": true})";
  const document reply = run(R"({"distinct": "c", )" + in_transaction);
  EXPECT_EQ(text_argument(reply, "codeName"), "OperationNotSupportedInTransaction");
  run_ok(R"({"distinct": "c", "key": "k"})");
}

TEST_F(simulator_commands, find_and_modify_gives_the_document_before_or_after) {
  shard_by_k();
  fill();
  const document before = run_ok(
      R"({"findAndModify": "c", "query": {"k": {"$gt": 10}}, "sort": {"k": -1},
          "update": {"$set": {"a": 1}}, "fields": {"k": 1, "a": 1, "_id": 0}})");
  EXPECT_EQ(to_json(document_argument(before, "value")), to_json(from_json(R"({"k": 16})")));
  const document after = run_ok(R"({"findAndModify": "c", "query": {"k": 99}, "upsert": true,
      "new": true, "update": {"$set": {"a": 1}}, "fields": {"_id": 0}})");
  EXPECT_EQ(to_json(document_argument(after, "value")),
            to_json(from_json(R"({"k": 99, "a": 1})")));
  run_ok(R"({"findAndModify": "c", "query": {"k": 99}, "remove": true})");
  EXPECT_TRUE(batch(R"({"find": "c", "filter": {"k": 99}})").empty());
}

TEST_F(simulator_commands, bulk_write_spans_collections) {
  shard_by_k();
  const document reply = run_ok("admin", R"({"bulkWrite": 1, "ordered": false,
      "nsInfo": [{"ns": "d.c"}, {"ns": "d.u"}],
      "ops": [{"insert": 0, "document": {"_id": 1, "k": 1}},
              {"insert": 1, "document": {"_id": 1}},
              {"insert": 1, "document": {"_id": 1}},
              {"update": 0, "filter": {"k": 1}, "updateMods": {"$set": {"a": 1}}},
              {"delete": 1, "filter": {}, "multi": true}]})");
  EXPECT_EQ(number_argument(reply, "nInserted", 0), 2);
  EXPECT_EQ(number_argument(reply, "nErrors", 0), 1);
  EXPECT_EQ(number_argument(reply, "nModified", 0), 1);
  EXPECT_EQ(number_argument(reply, "nDeleted", 0), 1);
}

TEST_F(simulator_commands, bulk_write_is_of_8_0_and_later) {
  const std::string bulk = R"({"bulkWrite": 1, "nsInfo": [{"ns": "d.c"}],
      "ops": [{"insert": 0, "document": {"k": 1}}]})";
  const auto code_as = [&](const char* version) {
    simulator_.contents().data.simulate(release_named(version).value());
    return number_argument(run("admin", bulk), "code", 0);
  };
  EXPECT_EQ(code_as("6.0"), 59);
  EXPECT_EQ(code_as("7.0"), 115);
  EXPECT_EQ(code_as("8.0"), 0);
}

/// mongo: bulk_write_common.cpp, validateRequest, and the targeting of updates and deletes.
TEST_F(simulator_commands, bulk_write_checks_all_and_targets_each) {
  shard_by_k();
  const auto bulk = [&](const std::string& ops, const char* more = "") {
    return run("admin", R"({"bulkWrite": 1, "nsInfo": [{"ns": "d.c"}], "ops": [)" + ops + "]" +
                            more + "}");
  };
  // Malformed commands are refused before anything is done.
  const document refused = bulk(R"({"insert": 0, "document": {"k": 1}},
                                   {"insert": 1, "document": {"k": 1}})");
  EXPECT_EQ(number_argument(refused, "code", 0), 2);
  EXPECT_EQ(count_on(1, "bulkWrite"), 0);
  EXPECT_EQ(number_argument(bulk(""), "code", 0), 16);
  // A multi upsert without the key is refused; ordered, what follows isn't done.
  const std::string ops = R"({"update": 0, "filter": {"x": 1}, "updateMods": {"$set": {"y": 1}},
                              "multi": true, "upsert": true},
                             {"delete": 0, "filter": {"k": 5}})";
  EXPECT_EQ(number_argument(bulk(ops), "nErrors", 0), 1);
  EXPECT_EQ(count_on(1, "bulkWrite"), 0);
  EXPECT_EQ(number_argument(bulk(ops, R"(, "ordered": false)"), "nErrors", 0), 1);
  EXPECT_EQ(count_on(1, "bulkWrite"), 1);
  // One document by no key asks all first.
  EXPECT_EQ(number_argument(bulk(R"({"delete": 0, "filter": {"x": 1}})"), "nErrors", 0), 0);
  EXPECT_EQ(count_on(0, "aggregate"), 1);
  EXPECT_EQ(count_on(2, "aggregate"), 1);
  // In 8.0 a replacement by `_id` goes to the shard of its key.
  bulk(R"({"update": 0, "filter": {"_id": 1}, "updateMods": {"k": 20}})");
  EXPECT_EQ(count_on(2, "bulkWrite"), 1);
  EXPECT_EQ(count_on(0, "bulkWrite"), 0);
}

TEST_F(simulator_commands, explain_has_the_shapes_of_mongos) {
  shard_by_k();
  fill();
  const auto stage = [this](const std::string& inner) {
    const document reply =
        run_ok(R"({"explain": )" + inner + R"(, "verbosity": "executionStats"})");
    const document& plan =
        document_argument(document_argument(reply, "queryPlanner"), "winningPlan");
    return text_argument(plan, "stage") + " " +
           std::to_string(array_argument(plan, "shards").size());
  };
  EXPECT_EQ(stage(R"({"find": "c", "filter": {"k": 5}})"), "SINGLE_SHARD 1");
  EXPECT_EQ(stage(R"({"find": "c", "filter": {}})"), "SHARD_MERGE 3");
  EXPECT_EQ(stage(R"({"find": "c", "filter": {}, "sort": {"k": 1}})"), "SHARD_MERGE_SORT 3");
  EXPECT_EQ(stage(R"({"count": "c", "query": {"k": {"$lt": 5}}})"), "SHARD_MERGE 2");
  EXPECT_EQ(stage(R"({"update": "c", "updates": [{"q": {"k": 5}, "u": {"$set": {"a": 1}}}]})"),
            "SHARD_WRITE 1");
  EXPECT_EQ(stage(R"({"update": "c", "updates": [{"q": {"k": {"$lt": 5}}, "multi": true,
                      "u": {"$set": {"a": 1}}}]})"),
            "SHARD_WRITE 2");
  EXPECT_EQ(stage(R"({"delete": "c", "deletes": [{"q": {"a": 5}, "limit": 1}]})"),
            "SHARD_WRITE 1");
}

TEST_F(simulator_commands, explain_of_a_pipeline_has_its_shards_by_name) {
  shard_by_k();
  const auto shards = [this](const std::string& pipeline) {
    const document reply = run_ok(R"({"explain": {"aggregate": "c", "pipeline": )" + pipeline +
                                  R"(, "cursor": {}}, "verbosity": "queryPlanner"})");
    return text_argument(reply, "mergeType") + " " +
           std::to_string(document_argument(reply, "shards").size());
  };
  EXPECT_EQ(shards(R"([{"$match": {"k": 5}}])"), " 1");
  EXPECT_EQ(shards(R"([{"$match": {"k": 5}}, {"$group": {"_id": "$a"}}])"), " 1");
  EXPECT_EQ(shards(R"([])"), "mongos 3");
  EXPECT_EQ(shards(R"([{"$group": {"_id": "$a"}}])"), "mongos 3");
}

TEST_F(simulator_commands, a_replacement_by_id_goes_where_its_own_key_says) {
  shard_by_k();
  const auto shards = [this](const std::string& statement) {
    const document reply = run_ok(R"({"explain": {"update": "c", "updates": [)" + statement +
                                  R"(]}, "verbosity": "queryPlanner"})");
    return array_argument(
               document_argument(document_argument(reply, "queryPlanner"), "winningPlan"),
               "shards")
        .size();
  };
  EXPECT_EQ(shards(R"({"q": {"_id": 1}, "u": {"k": 5}})"), 1U);
  EXPECT_EQ(shards(R"({"q": {"_id": 1}, "u": {"$set": {"a": 5}}})"), 3U);
}

TEST_F(simulator_commands, config_reports_the_chunks_as_mongos_does) {
  shard_by_k();
  const document collections = run_ok("config", R"({"find": "collections"})");
  const document& entry =
      *array_argument(document_argument(collections, "cursor"), "firstBatch")
           .front()
           .as<document>();
  EXPECT_EQ(text_argument(entry, "_id"), "d.c");
  const document chunks{{"find", "chunks"},
                        {"filter", document{{"uuid", *entry.find("uuid")}}},
                        {"sort", document{{"lastmod", std::int32_t{1}}}}};
  const array found =
      array_argument(document_argument(run("config", chunks), "cursor"), "firstBatch");
  EXPECT_EQ(found.size(), 3U);
}

TEST_F(simulator_commands, what_it_does_not_know_it_refuses_by_the_servers_codes) {
  EXPECT_EQ(code_of(R"({"nonsense": 1})"), 59);
  EXPECT_EQ(code_of(R"({"find": 5})"), 73);
  EXPECT_EQ(code_of(R"({"find": "c", "filter": 5})"), 14);
  EXPECT_EQ(code_of(R"({"find": "c", "filter": {"$foo": 1}})"), 2);
  EXPECT_EQ(code_of(R"({"mapReduce": "c"})"), 115);
  EXPECT_EQ(code_of(R"({"aggregate": "c", "pipeline": [{"$nonsense": 1}], "cursor": {}})"),
            40324);
  EXPECT_EQ(code_of(R"({"find": "c", "txnNumber": {"$numberLong": "1"}})"), 72);
}

TEST_F(simulator_commands, with_users_no_one_gets_in_without_authenticating) {
  simulator_.contents().users.add("ann", "secret");
  EXPECT_EQ(code_of(R"({"find": "c"})"), 13);
  run_ok(R"({"ping": 1})");
  const document hello = run_ok("admin", R"({"hello": 1, "saslSupportedMechs": "admin.ann"})");
  EXPECT_EQ(array_argument(hello, "saslSupportedMechs").size(), 2U);
}

TEST_F(simulator_commands, it_says_that_it_is_not_mongodb) {
  const document info = run_ok(R"({"buildInfo": 1})");
  EXPECT_TRUE(flag_argument(info, "scattergateSimulator"));
  EXPECT_NE(text_argument(info, "note").find("not MongoDB"), std::string::npos);
}

TEST(layout, the_yorkie_preset_is_the_same_every_time) {
  cluster first{3};
  cluster second{3};
  ASSERT_TRUE(apply_preset(first, "yorkie"));
  ASSERT_TRUE(apply_preset(second, "yorkie"));
  EXPECT_FALSE(apply_preset(first, "nonsense"));
  EXPECT_EQ(catalog_yaml(first), catalog_yaml(second));
  EXPECT_EQ(first.owners(first.find("yorkie-meta.changes"), "yorkie-meta.changes").size(), 3U);
  EXPECT_FALSE(first.find("yorkie-meta.users")->spread.has_value());
}

/// mongo 4.4: chunk_manager_targeter.cpp, cluster_find_and_modify_cmd.cpp.
TEST_F(simulated, refuses_writes_without_the_key_before_8_0) {
  shard_by_k();
  fill();
  simulator_.contents().data.simulate(release_named("4.4").value());
  const auto error_of = [this](const std::string& json) {
    const document reply = run(json);
    if (reply.has("code")) return number_argument(reply, "code", 0);
    const array& errors = array_argument(reply, "writeErrors");
    return errors.empty() ? 0 : number_argument(*errors.front().as<document>(), "code", 0);
  };
  const auto update = [](const char* filter, const char* more = "") {
    return std::string{R"({"update": "c", "updates": [{"q": )"} + filter +
           R"(, "u": {"$set": {"x": 1}})" + more + "}]}";
  };
  const auto remove = [](const char* filter) {
    return std::string{R"({"delete": "c", "deletes": [{"limit": 1, "q": )"} + filter + "}]}";
  };
  constexpr int not_found = 61;
  constexpr int invalid = 72;
  EXPECT_EQ(error_of(update(R"({"k": 5})")), 0);
  EXPECT_EQ(error_of(update(R"({"k": {"$gt": 15}})")), 0);
  EXPECT_EQ(error_of(update(R"({"k": {"$gt": 5}})")), invalid);
  EXPECT_EQ(error_of(update(R"({"_id": 1, "k": {"$gt": 5}})")), 0);
  EXPECT_EQ(error_of(update(R"({"k": {"$gt": 15}})", R"(, "upsert": true)")), not_found);
  EXPECT_EQ(error_of(remove(R"({"k": {"$gt": 15}})")), not_found);
  EXPECT_EQ(error_of(remove(R"({"_id": 77})")), 0);
  EXPECT_EQ(error_of(R"({"findAndModify": "c", "query": {"_id": 1}, "remove": true})"),
            not_found);
  EXPECT_EQ(error_of(R"({"findAndModify": "c", "query": {"k": 77}, "remove": true})"), 0);
}

/// SERVER-44422: 5.0.20's changelog names it.
TEST_F(simulated, takes_deletes_and_find_and_modify_by_query_from_some_patch_releases_on) {
  shard_by_k();
  fill();
  const auto takes = [this](const char* version, const std::string& json) {
    simulator_.contents().data.simulate(release_named(version).value());
    const document reply = run(json);
    return !reply.has("code") && !reply.has("writeErrors");
  };
  const std::string remove =
      R"({"delete": "c", "deletes": [{"limit": 1, "q": {"k": {"$gt": 99}}}]})";
  const std::string modify =
      R"({"findAndModify": "c", "query": {"k": {"$gt": 99}}, "remove": true})";
  for (const std::string& each : {remove, modify}) {
    EXPECT_FALSE(takes("5.0.19", each)) << each;
    EXPECT_TRUE(takes("5.0.20", each)) << each;
    EXPECT_FALSE(takes("6.0.0", each)) << each;
    EXPECT_TRUE(takes("6.0.12", each)) << each;
    EXPECT_FALSE(takes("7.0.0", each)) << each;
    EXPECT_TRUE(takes("7.0.1", each)) << each;
  }
  EXPECT_FALSE(takes("6.0.12", R"({"findAndModify": "c", "query": {}, "remove": true})"));
}

/// mongo 0479b3d30874: target_write_op.cpp, validateUpdateDoc.
TEST_F(simulated, refuses_constants_next_to_an_update_without_a_pipeline_from_9_0_on) {
  shard_by_k();
  const auto errors_of = [this](const char* version, const char* change) {
    simulator_.contents().data.simulate(release_named(version).value());
    return array_argument(
               run(std::string{R"({"update": "c", "updates": [{"q": {"k": 1}, "u": )"} +
                   change + R"(, "c": {"x": 1}}]})"),
               "writeErrors")
        .size();
  };
  EXPECT_EQ(errors_of("8.2", R"({"$set": {"x": 1}})"), 0U);
  EXPECT_EQ(errors_of("9.0", R"({"$set": {"x": 1}})"), 1U);
  EXPECT_EQ(errors_of("9.0", R"([{"$set": {"x": 1}}])"), 0U);
}

/// mongo: the shard that would insert refuses it, after the router has found it.
TEST_F(simulated, refuses_an_upsert_by_expression) {
  shard_by_k();
  const document reply = run(R"({"update": "c", "updates": [{"upsert": true,
      "q": {"k": 1, "$expr": {"$gt": ["$k", 0]}}, "u": {"$set": {"x": 1}}}]})");
  const array& errors = array_argument(reply, "writeErrors");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(number_argument(*errors.front().as<document>(), "code", 0), 224);
}

}  // namespace
}  // namespace scattergate::sim
