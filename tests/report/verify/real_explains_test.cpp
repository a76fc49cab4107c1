#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "config/cluster/cluster_mirror.hpp"
#include "report/verify/explain_plan.hpp"
#include "report/verify/explainable.hpp"
#include "report/verify/verifier.hpp"
#include "routing/classify.hpp"
#include "tests/support/recorded_cluster.hpp"

// Compares the explain replies of a real mongos 4.4 and an 8.0 with our verdicts, as verify
// does.
namespace scattergate::report {
namespace {

using tests::json_document;
using wire::document_view;

/// The catalog of the recorded cluster; `suffix`: of the files' names, such as "-8.0".
std::shared_ptr<const routing::catalog> catalog_of(const std::string& suffix) {
  const auto folder = tests::real_facts();
  tests::recorded_cluster cluster{folder / ("config" + suffix + ".json"),
                                  folder / ("replies" + suffix + ".json")};
  config::catalog_facts facts;
  config::cluster_mirror mirror{{.chunks = 1'000}, facts};
  std::shared_ptr<const routing::catalog> made;
  config::load_hooks hooks;
  hooks.publish = [&made](auto published) { made = std::move(published); };
  static_cast<void>(mirror.load(cluster, config::load_depth::everything, hooks));
  EXPECT_TRUE(made);
  return made;
}

document_view document_in(document_view from, std::string_view name) {
  return wire::find_field(from, name)->as_document().value();
}

/// verify's result for one recorded explain; that of the first statement.
comparison verified(document_view recorded, const routing::catalog& entries,
                    routing::scratch& memory) {
  const wire::command command = wire::command_of(document_in(recorded, "command")).value();
  const explainable what = explainables_of(command).front();
  const auto judged = document_view::from(what.judged()).value();
  const own_verdict ours =
      own(routing::classify(wire::command_of(judged).value(), entries, memory), entries);
  return compare(ours, read_explain(document_in(recorded, "reply")), std::nullopt);
}

/// The number of each result: all agree.
std::map<outcome, int> verify_file(const std::filesystem::path& path,
                                   const std::string& suffix = "") {
  const auto entries = catalog_of(suffix);
  std::map<outcome, int> counts;
  std::vector<std::byte> block(routing::scratch_bytes);
  std::ifstream lines{path};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const json_document recorded{line};
    routing::scratch memory{block};
    const comparison found = verified(recorded.view(), *entries, memory);
    ++counts[found.is];
    EXPECT_EQ(label(found.is), "agreed") << number << ": " << found.why;
  }
  return counts;
}

TEST(real_explains, of_the_repository_agree) {
  auto counts = verify_file(tests::real_facts() / "explains.jsonl");
  EXPECT_EQ(counts[outcome::agreed], 49);
}

/// One or more of each kind of command that 8.0 explains: reads, pipelines, and writes in one
/// and in two phases. A write in two phases names the shard that it writes on beside those that
/// it asks; the latter are compared.
TEST(real_explains, of_8_0_agree) {
  auto counts = verify_file(tests::real_facts() / "explains-8.0.jsonl", "-8.0");
  EXPECT_EQ(counts[outcome::agreed], 20);
}

/// The plan of a write in two phases whose second phase names a shard that the first doesn't.
TEST(real_explains, of_a_write_in_two_phases_what_it_asks_counts) {
  const json_document reply{R"({"queryPlanner": {"winningPlan": {"stage": "SHARD_WRITE",
      "shards": [{"shardName": "s1"}], "inputStage": {"winningPlan": {"stage": "SHARD_MERGE",
      "shards": [{"shardName": "s2"}]}}}}, "ok": 1})"};
  const explain_plan plan = read_explain(reply.view());
  EXPECT_TRUE(plan.is_two_phase);
  EXPECT_EQ(plan.shards, (std::vector<std::string>{"s2"}));
}

/// All that were recorded, executionStats too, if they are at hand.
TEST(real_explains, all_that_were_recorded_agree) {
  const auto folder = tests::real_records();
  if (!folder) GTEST_SKIP() << "the records aren't here";
  auto counts = verify_file(*folder / "explains.jsonl");
  EXPECT_EQ(counts[outcome::agreed], 79);
}

}  // namespace
}  // namespace scattergate::report
