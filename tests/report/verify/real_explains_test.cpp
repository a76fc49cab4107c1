#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "config/cluster/cluster_mirror.hpp"
#include "report/verify/comparison.hpp"
#include "report/verify/explain_plan.hpp"
#include "report/verify/explainable.hpp"
#include "routing/classify.hpp"
#include "tests/support/recorded_cluster.hpp"

// Compares the explain replies of a real mongos 4.4 with our verdicts, as verify does.
namespace scattergate::report {
namespace {

using tests::json_document;
using wire::document_view;

std::shared_ptr<const routing::catalog> catalog_of(const std::filesystem::path& folder) {
  tests::recorded_cluster cluster{folder};
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
std::map<outcome, int> verify_file(const std::filesystem::path& path) {
  const auto entries = catalog_of(tests::real_facts());
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

/// All that were recorded, executionStats too, if they are at hand.
TEST(real_explains, all_that_were_recorded_agree) {
  const auto folder = tests::real_records();
  if (!folder) GTEST_SKIP() << "the records aren't here";
  auto counts = verify_file(*folder / "explains.jsonl");
  EXPECT_EQ(counts[outcome::agreed], 79);
}

}  // namespace
}  // namespace scattergate::report
