#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "sim/execution/arguments.hpp"
#include "sim/simulator.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "tests/support/json_document.hpp"

/// Compares the simulator with recorded explain replies of a real mongos. Each line of a file
/// with records (../shared/real/README.md) has a chunk layout of the collection db.c, and
/// cases. A case is a command with mongos's answer.
namespace scattergate::sim {

/// What a command did on the simulated cluster.
struct trial_outcome {
  bool runs = false;       ///< without an error, also of its statements
  std::size_t shards = 0;  ///< the number of owners of chunks that it reached
};

/// A simulator of the recorded cluster, with MongoDB of the given version. Has the six shards
/// s0 to s5, and the collection db.c with the chunks of `layout`, without documents.
class recorded_cluster {
 public:
  recorded_cluster(const document& layout, std::string_view version) {
    cluster& data = simulator_.contents().data;
    data.simulate(release_named(version).value());
    for (shard_index i = 0; i < data.shards().size(); ++i) {
      data.shards()[i].name = "s" + std::to_string(i);
    }
    if (layout.has("timeseries")) {
      data.create("db.c", {{"timeseries", document_argument(layout, "timeseries")}});
    }
    collection& made =
        data.shard_collection("db.c", document_argument(layout, "shardKey"), false);
    for (const value& each : array_argument(layout, "chunks")) {
      const document& chunk = *each.as<document>();
      const array min = made.spread->key.position_from_bound(document_argument(chunk, "min"));
      made.spread->chunks.split(min);
      made.spread->chunks.move(min, data.shard_named(text_argument(chunk, "shard")));
    }
  }

  /// The shards that the simulator's explain shows for `command` ("s0,s2"), or the name of its
  /// error. Runs a command that can't be explained (a bulkWrite or a command in a transaction)
  /// instead: see outcome_of().
  [[nodiscard]] std::string answer_to(const document& command) {
    if (command.front().name == "bulkWrite" || command.has("autocommit")) {
      return outcome_of(command);
    }
    const document body{{"explain", command}, {"verbosity", "queryPlanner"}};
    const document reply = simulator_.run(client_, {"explain", "db", body, false}).body;
    if (reply.has("codeName")) return text_argument(reply, "codeName");
    std::set<std::string> asked;
    for (const field& each : document_argument(reply, "shards")) asked.insert(each.name);
    const document* plan =
        &document_argument(document_argument(reply, "queryPlanner"), "winningPlan");
    // Some writes read first ("two phases"): takes the read's plan.
    if (plan->has("inputStage")) {
      plan = &document_argument(document_argument(*plan, "inputStage"), "winningPlan");
    }
    for (const value& each : array_argument(*plan, "shards")) {
      asked.insert(text_argument(*each.as<document>(), "shardName"));
    }
    return joined(asked);
  }

  /// Runs a command, which may be an explain.
  [[nodiscard]] trial_outcome outcome_on_shards(const document& command,
                                                const std::string& database) {
    cluster& data = simulator_.contents().data;
    for (shard& each : data.shards()) each.commands.clear();
    const document reply =
        simulator_.run(client_, {command.front().name, database, command, false}).body;
    const bool is_ok = number_argument(reply, "ok", 0) == 1 && !reply.has("writeErrors") &&
                       number_argument(reply, "nErrors", 0) == 0;
    return {is_ok, owners_reached().size()};
  }

  /// The names, joined by commas.
  static std::string joined(const std::set<std::string>& names) {
    std::string out;
    for (const std::string& each : names) out += (out.empty() ? "" : ",") + each;
    return out;
  }

 private:
  /// Runs a command. Returns the owners of chunks that it reached, and mongos's first error: of
  /// a bulkWrite "s0 but BadValue", of other commands only the error.
  [[nodiscard]] std::string outcome_of(const document& command) {
    cluster& data = simulator_.contents().data;
    for (shard& each : data.shards()) {
      each.commands.clear();
      each.stores.clear();
    }
    const bool is_bulk = command.front().name == "bulkWrite";
    const request asked{command.front().name, is_bulk ? "admin" : "db", command, false};
    const document reply = simulator_.run(client_, asked).body;
    if (const value* session = command.find("lsid")) {
      static_cast<void>(simulator_.run(
          client_, {"endSessions", "admin", {{"endSessions", array{*session}}}, false}));
    }
    if (reply.has("codeName")) return text_argument(reply, "codeName");
    std::string out = joined(owners_reached());
    const array& lines = is_bulk
                             ? array_argument(document_argument(reply, "cursor"), "firstBatch")
                             : array_argument(reply, "writeErrors");
    for (const value& each : lines) {
      const auto code = static_cast<errc>(number_argument(*each.as<document>(), "code", 0));
      constexpr std::array of_shards{errc{},
                                     errc::duplicate_key,
                                     errc::immutable_field,
                                     errc::illegal_operation,
                                     errc::path_not_viable,
                                     errc::document_validation_failure};
      if (std::ranges::find(of_shards, code) != of_shards.end()) continue;
      return (is_bulk && !out.empty() ? out + " but " : "") + code_name(code);
    }
    return out;
  }

  /// The owners of chunks that have received a command.
  [[nodiscard]] std::set<std::string> owners_reached() {
    cluster& data = simulator_.contents().data;
    std::set<std::string> reached;
    for (const shard_index each : data.owners(data.find("db.c"), "db.c")) {
      const shard& owner = data.shards()[each];
      if (!owner.commands.empty()) reached.insert(owner.name);
    }
    return reached;
  }

  simulator simulator_{6};
  connection client_ = simulator_.connect("test");
};

/// The answer of mongos in a recorded case, in the format of recorded_cluster::answer_to().
inline std::string recorded_answer(const document& recorded) {
  if (recorded.has("refused")) return text_argument(recorded, "refused");
  std::set<std::string> shards;
  for (const value& each : array_argument(recorded, "shards")) {
    shards.insert(*each.as<std::string>());
  }
  return recorded_cluster::joined(shards);
}

/// Calls `judge` for each case of a file, with the case, the simulator's answer (`ours`) and
/// the case's chunk layout. Returns the number of cases.
inline int for_each_recorded(
    const std::filesystem::path& file, std::string_view version,
    const std::function<void(const document& recorded, const std::string& ours,
                             const document& layout)>& judge) {
  int cases = 0;
  std::ifstream lines{file};
  for (std::string line; std::getline(lines, line);) {
    const document layout = decode(tests::json_document{line}.view());
    recorded_cluster cluster{layout, version};
    for (const value& each : array_argument(layout, "cases")) {
      const document& recorded = *each.as<document>();
      judge(recorded, cluster.answer_to(document_argument(recorded, "command")), layout);
      ++cases;
    }
  }
  return cases;
}

}  // namespace scattergate::sim
