#pragma once

#include <string>

#include <gtest/gtest.h>

#include "sim/execution/arguments.hpp"
#include "sim/simulator.hpp"
#include "sim/storage/cluster.hpp"
#include "sim/values/bson_codec.hpp"
#include "tests/sim/from_json.hpp"

namespace scattergate::sim {

/// A base for tests with a simulated cluster of three shards and one client, without sockets.
class simulated : public ::testing::Test {
 protected:
  /// Runs a command and returns the reply, which may be an error. The default database is `d`.
  document run(const std::string& db, const document& command) {
    return simulator_.run(client_, request{command.front().name, db, command, false}).body;
  }
  document run(const std::string& db, const std::string& json) {
    return run(db, from_json(json));
  }
  document run(const std::string& json) { return run("d", json); }

  /// Runs a command and returns the reply. Expects success, without write errors.
  document run_ok(const std::string& json) { return run_ok("d", json); }
  document run_ok(const std::string& db, const std::string& json) {
    document reply = run(db, json);
    EXPECT_EQ(number_argument(reply, "ok", 0), 1) << json << " gave " << to_json(reply);
    EXPECT_FALSE(reply.has("writeErrors")) << json << " gave " << to_json(reply);
    return reply;
  }

  /// Runs a command and returns the error's code; 0 on success.
  std::int64_t code_of(const std::string& json) {
    return number_argument(run(json), "code", 0);
  }

  /// Runs a command that opens a cursor, and returns the first batch.
  array batch(const std::string& json) {
    const document reply = run_ok(json);
    return array_argument(document_argument(reply, "cursor"), "firstBatch");
  }

  /// The number of commands named `command` that the shard has counted.
  std::int64_t count_on(shard_index where, const std::string& command) {
    const auto& counts = simulator_.contents().data.shards()[where].commands;
    const auto at = counts.find(command);
    return at == counts.end() ? 0 : at->second;
  }

  /// Shards d.c by {k: 1}: k < 0 is on shard1, 0 <= k < 10 on shard2, the rest on shard3.
  void shard_by_k() {
    run_ok("admin", R"({"shardCollection": "d.c", "key": {"k": 1}})");
    run_ok("admin", R"({"split": "d.c", "middle": {"k": 0}})");
    run_ok("admin", R"({"split": "d.c", "middle": {"k": 10}})");
    run_ok("admin", R"({"moveChunk": "d.c", "find": {"k": 0}, "to": "shard2"})");
    run_ok("admin", R"({"moveChunk": "d.c", "find": {"k": 10}, "to": "shard3"})");
  }

  /// Inserts four documents into d.c: one with k < 0, one with 0 <= k < 10, two with k >= 10.
  void fill() {
    run_ok(R"({"insert": "c", "documents": [{"_id": 1, "k": -5}, {"_id": 2, "k": 5},
                                            {"_id": 3, "k": 15}, {"_id": 4, "k": 16}]})");
  }

  simulator simulator_{3};
  connection client_ = simulator_.connect("test");
};

}  // namespace scattergate::sim
