#include "report/verify/explain_plan.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"
#include "tests/support/source_folder.hpp"

namespace scattergate::report {
namespace {

using kind = explain_plan::kind;
using names = std::vector<std::string>;
using tests::json_document;

std::filesystem::path fixtures() {
  return tests::source_folder() / "tests/report/fixtures";
}

std::string fixture(const std::string& name) {
  std::ifstream file{fixtures() / (name + ".json")};
  return {std::istreambuf_iterator<char>{file}, {}};
}

struct expected_plan {
  const char* fixture;
  kind is;
  std::string stage;
  names shards = {};
  bool is_two_phase = false;
  bool is_complete = true;
  std::int64_t code = 0;
};

const names all = {"shard1", "shard2", "shard3"};

const std::vector<expected_plan> plans = {
    {"4.4-find-single-shard", kind::shards, "SINGLE_SHARD", {"shard2"}},
    {"4.4-count-merge", kind::shards, "SHARD_MERGE", all},
    {"4.4-update-broadcast", kind::shards, "SHARD_WRITE", all},
    {"4.4-aggregate-split", kind::shards, "mongos", {"shard1", "shard2"}},
    {"4.4-aggregate-unsharded-passed-through", kind::one_shard, "stages"},
    {"5.0-find-merge-sort", kind::shards, "SHARD_MERGE_SORT", {"shard1", "shard3"}},
    {"5.0-distinct-sbe", kind::shards, "SINGLE_SHARD", {"shard1"}},
    {"5.0-find-output-truncated",
     kind::shards,
     "SHARD_MERGE",
     {"shard1", "shard2"},
     false,
     false},
    {"6.0-aggregate-like-a-find", kind::shards, "", {"shard2"}},
    {"6.0-aggregate-lookup-on-primary", kind::shards, "primaryShard", all},
    {"6.0-delete-single-shard", kind::shards, "SHARD_WRITE", {"shard2"}},
    {"6.0-find-and-modify-without-the-key", kind::refused, "", {}, false, true, 61},
    {"6.0-find-on-a-view-of-an-unsharded-collection", kind::one_shard, "COLLSCAN"},
    {"7.0-find-sbe-merge", kind::shards, "SHARD_MERGE", all},
    {"7.0-aggregate-any-shard", kind::shards, "anyShard", {"shard1", "shard2"}},
    {"7.0-refused-by-a-shard", kind::refused, "", {}, false, true, 2},
    {"8.0-update-one-in-two-phases", kind::shards, "SHARD_WRITE after SHARD_MERGE", all, true},
    {"8.0-find-and-modify-in-two-phases-sorted",
     kind::shards,
     "SHARD_WRITE after SHARD_MERGE_SORT",
     {"shard2", "shard3"},
     true},
    {"8.0-find-express", kind::shards, "SINGLE_SHARD", {"shard3"}},
    {"8.0-find-in-a-missing-database", kind::no_shard, "EOF"},
    {"8.0-find-in-a-missing-collection", kind::shards, "SINGLE_SHARD", {"shard1"}},
    {"8.0-aggregate-specific-shard", kind::shards, "specificShard", {"shard1", "shard2"}},
    {"8.0-aggregate-run-by-mongos", kind::no_shard, "mongos"},
    {"8.0-aggregate-unsharded", kind::shards, "", {"shard1"}},
    {"8.0-not-authorized", kind::refused, "", {}, false, true, 13},
};

TEST(explain_plan, says_which_shards_every_version_would_ask) {
  for (const expected_plan& expected : plans) {
    SCOPED_TRACE(expected.fixture);
    const json_document reply{fixture(expected.fixture)};
    const explain_plan plan = read_explain(reply.view());
    EXPECT_EQ(plan.is, expected.is) << plan.text;
    EXPECT_EQ(plan.stage, expected.stage);
    EXPECT_EQ(plan.shards, expected.shards);
    EXPECT_EQ(plan.is_two_phase, expected.is_two_phase);
    EXPECT_EQ(plan.is_complete, expected.is_complete);
    EXPECT_EQ(plan.code, expected.code);
  }
}

TEST(explain_plan, every_fixture_is_in_the_table) {
  std::set<std::string> known;
  for (const expected_plan& each : plans) known.insert(each.fixture);
  for (const auto& file : std::filesystem::directory_iterator{fixtures()}) {
    if (file.path().extension() != ".json") continue;
    EXPECT_TRUE(known.contains(file.path().stem().string())) << file.path();
  }
}

TEST(explain_plan, reports_which_host_answered_where_no_shard_is_named) {
  const json_document reply{fixture("4.4-aggregate-unsharded-passed-through")};
  EXPECT_EQ(read_explain(reply.view()).text, "shard1-1");
}

TEST(explain_plan, keeps_the_words_of_an_error) {
  const json_document reply{fixture("7.0-refused-by-a-shard")};
  EXPECT_NE(read_explain(reply.view()).text.find("unknown operator"), std::string::npos);
}

TEST(explain_plan, takes_nothing_else_for_a_plan) {
  constexpr const char* replies[] = {
      R"({})",
      R"({"ok": 1})",
      R"({"ok": 1, "cursor": {"id": 0, "firstBatch": []}})",
      R"({"queryPlanner": 1})",
      R"({"queryPlanner": {}})",
      R"({"queryPlanner": {"winningPlan": []}})",
      R"({"queryPlanner": {"winningPlan": {"stage": "SHARD_MERGE", "shards": 5}}})",
      R"({"queryPlanner": {"winningPlan": {"stage": "SHARD_MERGE", "shards": {"a": {}}}}})",
      R"({"queryPlanner": {"winningPlan": {"stage": "SHARD_MERGE", "shards": []}}})",
      R"({"queryPlanner": {"winningPlan": {"shards": [{"shardName": ""}, {"shardName": 5}]}}})",
      R"({"queryPlanner": {"winningPlan": {"shards": [{"shardName": "a"}],
          "inputStage": {"winningPlan": {"stage": "SHARD_MERGE"}}}}})",
      R"({"shards": {}})",
      R"({"shards": {"shard1": 5}})",
      R"({"shards": {"": {}}})",
  };
  for (const char* each : replies) {
    const json_document reply{each};
    const explain_plan plan = read_explain(reply.view());
    EXPECT_EQ(plan.is, kind::no_plan) << each;
    EXPECT_FALSE(plan.text.empty()) << each;
  }
}

TEST(explain_plan, shards_that_are_named_twice_count_once) {
  const json_document reply{
      R"({"queryPlanner": {"winningPlan": {"shards": [{"shardName": "b"}, {"shardName": "a"},
          {"shardName": "b"}]}}})"};
  EXPECT_EQ(read_explain(reply.view()).shards, (names{"a", "b"}));
}

TEST(explain_plan, broken_bytes_at_any_place_are_no_plan_or_still_one) {
  const json_document whole{fixture("8.0-update-one-in-two-phases")};
  const auto bytes = whole.view().bytes();
  for (std::size_t at = sizeof(std::int32_t); at + 1 < bytes.size(); at += 3) {
    std::vector<std::byte> broken{bytes.begin(), bytes.end()};
    broken[at] ^= std::byte{0xff};
    const auto view = wire::document_view::from(broken);
    ASSERT_TRUE(view);
    const explain_plan plan = read_explain(*view);
    EXPECT_EQ(plan.is == kind::shards, !plan.shards.empty()) << at;
  }
}

TEST(explain_plan, more_shards_than_any_cluster_has_are_no_plan) {
  std::string text = R"({"shards": {)";
  for (int i = 0; i < 10'001; ++i) {
    text += (i == 0 ? "\"s" : ",\"s") + std::to_string(i) + "\": {}";
  }
  const json_document reply{text + "}}"};
  EXPECT_EQ(read_explain(reply.view()).is, kind::no_plan);
}

}  // namespace
}  // namespace scattergate::report
