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

/// The explain replies of a real mongos: the format of ../shared/real/README.md, one chunk
/// layout of the collection `c` and its cases a line.
namespace scattergate::sim {

/// A simulator of the recorded cluster's six shards, s0 to s5, that holds a layout's
/// collection and passes for a MongoDB of `version`.
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

  /// The shards that explain shows, "s0,s2", or the name of the error. What can't be explained
  /// is run.
  [[nodiscard]] std::string answer_to(const document& command) {
    if (command.front().name == "bulkWrite") return outcome_of(command);
    const document body{{"explain", command}, {"verbosity", "queryPlanner"}};
    const document reply = simulator_.run(client_, {"explain", "db", body, false}).body;
    if (reply.has("codeName")) return text_argument(reply, "codeName");
    std::set<std::string> asked;
    for (const field& each : document_argument(reply, "shards")) asked.insert(each.name);
    const document* plan =
        &document_argument(document_argument(reply, "queryPlanner"), "winningPlan");
    // A write in two phases asks first.
    if (plan->has("inputStage")) {
      plan = &document_argument(document_argument(*plan, "inputStage"), "winningPlan");
    }
    for (const value& each : array_argument(*plan, "shards")) {
      asked.insert(text_argument(*each.as<document>(), "shardName"));
    }
    return joined(asked);
  }

  static std::string joined(const std::set<std::string>& names) {
    std::string out;
    for (const std::string& each : names) out += (out.empty() ? "" : ",") + each;
    return out;
  }

 private:
  /// The owners of chunks that a command reaches when it is run, and mongos's first error: "s0
  /// but BadValue".
  [[nodiscard]] std::string outcome_of(const document& command) {
    cluster& data = simulator_.contents().data;
    for (shard& each : data.shards()) {
      each.commands.clear();
      each.stores.clear();
    }
    const request asked{command.front().name, "admin", command, false};
    const document reply = simulator_.run(client_, asked).body;
    if (reply.has("codeName")) return text_argument(reply, "codeName");
    std::set<std::string> reached;
    for (const shard_index each : data.owners(data.find("db.c"), "db.c")) {
      const shard& owner = data.shards()[each];
      if (!owner.commands.empty()) reached.insert(owner.name);
    }
    std::string out = joined(reached);
    const document& cursor = document_argument(reply, "cursor");
    for (const value& each : array_argument(cursor, "firstBatch")) {
      const auto code = static_cast<errc>(number_argument(*each.as<document>(), "code", 0));
      constexpr std::array of_shards{errc{},
                                     errc::duplicate_key,
                                     errc::immutable_field,
                                     errc::illegal_operation,
                                     errc::path_not_viable,
                                     errc::document_validation_failure};
      if (std::ranges::find(of_shards, code) != of_shards.end()) continue;
      return out + (out.empty() ? "" : " but ") + code_name(code);
    }
    return out;
  }

  simulator simulator_{6};
  connection client_ = simulator_.connect("test");
};

/// mongos's answer to a case, in the same format.
inline std::string recorded_answer(const document& recorded) {
  if (recorded.has("refused")) return text_argument(recorded, "refused");
  std::set<std::string> shards;
  for (const value& each : array_argument(recorded, "shards")) {
    shards.insert(*each.as<std::string>());
  }
  return recorded_cluster::joined(shards);
}

/// Calls `judge(recorded case, the simulator's answer, layout)` for each case of a file.
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
