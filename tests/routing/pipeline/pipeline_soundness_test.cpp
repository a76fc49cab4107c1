#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/routing/judging_support.hpp"
#include "tests/sim/simulator_fixture.hpp"
#include "tests/support/random_world.hpp"
#include "tests/support/sanitizer.hpp"

/// For any pipeline over any layout: without the documents of all shards that aren't in the
/// predicted fan-out, the simulator comes to the same result. What its own router asks plays no
/// part in that: it runs both on collections that aren't sharded.
namespace scattergate::routing_tests {
namespace {

constexpr std::uint32_t worlds = tests::repetitions(40);
constexpr std::size_t pipelines_per_world = 25;

struct stage_choice {
  std::string_view stages;
  std::string_view renamed;  ///< what the field `a` is called behind them
};

constexpr stage_choice choices[] = {
    {R"({"$sort": {"x": 1}})", "a"},
    {R"({"$addFields": {"a": "$b"}})", "a"},
    {R"({"$addFields": {"y": "$a"}})", "y"},
    {R"({"$addFields": {"y": {"z": "$a"}}})", "y.z"},
    {R"({"$addFields": {"x": {"$add": [1, 2]}}})", "a"},
    {R"({"$project": {"a": "$b", "b": "$a", "c": 1, "x": 1}})", "b"},
    {R"({"$project": {"a": 1, "c.d": 1}})", "a"},
    {R"({"$project": {"x": 0}})", "a"},
    {R"({"$unset": ["x", "c.d"]})", "a"},
    {R"({"$unwind": "$x"})", "a"},
    {R"({"$group": {"_id": "$a", "n": {"$sum": 1}}})", "_id"},
    {R"({"$group": {"_id": "$a"}}, {"$project": {"a": "$_id", "b": "$_id"}})", "a"},
    {R"({"$group": {"_id": {"k": "$a"}, "x": {"$sum": 1}}})", "_id.k"},
    {R"({"$group": {"_id": {"k": "$a", "j": "$b"}}})", "_id.k"},
    {R"({"$sortByCount": "$a"})", "_id"},
    {R"({"$limit": 7})", "a"},
    {R"({"$skip": 2})", "a"},
};

/// A filter that calls `a` something else.
std::string renamed(std::string filter, std::string_view name) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = filter.find(from, at)) != std::string::npos; at += to.size())
      filter.replace(at, from.size(), to);
  };
  replace(R"("a":)", "\"" + std::string{name} + "\":");
  replace(R"("$a")", "\"$" + std::string{name} + "\"");
  return filter;
}

/// Stages and $match in turn, so that some have a way to the head and some don't.
std::string pipeline_of(tests::random_world& world, std::mt19937& random) {
  std::string stages;
  std::string_view name = "a";
  for (std::size_t n = 1 + random() % 3; n > 0; --n) {
    const stage_choice& chosen = choices[random() % std::size(choices)];
    if (random() % 3 == 0) stages += R"({"$match": )" + renamed(world.filter(), name) + "}, ";
    stages += std::string{chosen.stages} + ", ";
    name = chosen.renamed;
  }
  return "[" + stages + R"({"$match": )" + renamed(world.filter(), name) + "}]";
}

struct placed {
  std::string document;
  std::size_t shard;
};

std::vector<placed> place(tests::random_world& world,
                          const std::shared_ptr<const routing::catalog>& entries) {
  std::vector<placed> all;
  for (std::string document : world.documents()) {
    document.insert(1, "\"_id\": " + std::to_string(all.size()) + ", ");
    const judged found{entries, R"({"insert": "c", "documents": [)" + document + "]}"};
    if (found.verdict().refused != routing::refusal::none) continue;
    const auto& fanout = found.verdict().fanout.value();
    std::size_t shard = 0;
    while (!fanout.contains(shard)) ++shard;
    all.push_back({document, shard});
  }
  return all;
}

class pipeline_soundness : public sim::simulated {
 protected:
  void fill_collection(const std::string& name, const std::vector<placed>& documents,
                       const routing::shard_set* on = nullptr) {
    (void)run(R"({"drop": ")" + name + R"("})");
    std::string list;
    for (const placed& each : documents) {
      if (on != nullptr && !on->contains(each.shard)) continue;
      list += (list.empty() ? "" : ",") + each.document;
    }
    if (!list.empty()) {
      run_ok(R"({"insert": ")" + name + R"(", "documents": [)" + list + "]}");
    }
  }

  /// A pipeline's result, in some order; std::nullopt if the simulator can't run it.
  std::optional<std::vector<std::string>> result_of(const std::string& name,
                                                    const std::vector<std::byte>& command) {
    sim::document read = sim::decode(wire::document_view::from(command).value());
    read.set("aggregate", name);
    const sim::document reply = run("d", read);
    if (sim::number_argument(reply, "ok", 0) != 1) return std::nullopt;
    std::vector<std::string> found;
    const auto& cursor = sim::document_argument(reply, "cursor");
    for (const auto& each : sim::array_argument(cursor, "firstBatch")) {
      found.push_back(sim::to_json(sim::document{{"v", each}}));
    }
    std::ranges::sort(found);
    return found;
  }
};

TEST_F(pipeline_soundness, no_shard_that_a_result_comes_from_is_left_out) {
  std::size_t narrowed = 0;
  for (std::uint32_t seed = 1; seed <= worlds && !HasFailure(); ++seed) {
    tests::random_world world{seed};
    std::mt19937 random{seed};
    const auto entries = catalog_of(world.catalog_json());
    const std::vector<placed> documents = place(world, entries);
    fill_collection("all", documents);
    for (std::size_t i = 0; i < pipelines_per_world && !HasFailure(); ++i) {
      const std::string command =
          R"({"aggregate": "c", "cursor": {"batchSize": 10000}, "pipeline": )" +
          pipeline_of(world, random) + "}";
      const judged found{entries, command};
      const auto& fanout = found.verdict().fanout;
      if (!fanout || fanout->size() == entries->shards().size()) continue;
      const std::vector<std::byte> bytes = bson_of(command);
      const auto whole = result_of("all", bytes);
      if (!whole) continue;
      fill_collection("part", documents, &*fanout);
      EXPECT_EQ(result_of("part", bytes), whole)
          << "seed " << seed << ' ' << world.catalog_json() << '\n'
          << command << '\n'
          << found.where();
      ++narrowed;
    }
  }
  EXPECT_GT(narrowed, tests::repetitions(100));
  std::cout << narrowed << " pipelines were narrowed\n";
}

}  // namespace
}  // namespace scattergate::routing_tests
