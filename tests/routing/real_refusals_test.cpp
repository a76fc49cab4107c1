#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "tests/support/real_records.hpp"
#include "wire/bson.hpp"

/// Commands that a real mongos 4.4 refused, by the name of the error.
namespace scattergate::routing_tests {
namespace {

using wire::find_field;

/// The index that it refused for a conflict with another one, which no router can know of.
bool is_beyond_us(std::string_view error) {
  return error == "IndexOptionsConflict";
}

int judge_refusals(const std::filesystem::path& path) {
  const auto entries = catalog_of(R"({"version": "4.4", "collections": [
      {"ns": "shop.orders", "key": {"customer": 1, "_id": 1}, "splits": [{"customer": 100}]}]})");
  std::vector<std::byte> block(routing::scratch_bytes);
  std::ifstream lines{path};
  EXPECT_TRUE(lines) << path;
  int judged = 0;
  for (std::string line; std::getline(lines, line);) {
    const tests::json_document recorded{line};
    const auto reply = find_field(recorded.view(), "reply")->as_document().value();
    const auto error = find_field(reply, "codeName")->as_string();
    if (is_beyond_us(error)) continue;
    const auto body = find_field(recorded.view(), "command")->as_document().value();
    wire::command command = wire::command_of(body).value();
    command.database = find_field(recorded.view(), "db")->as_string();
    routing::scratch memory{block};
    EXPECT_EQ(label(routing::classify(command, *entries, memory).refused), error) << line;
    ++judged;
  }
  return judged;
}

TEST(real_refusals, of_the_repository_are_ours) {
  EXPECT_EQ(judge_refusals(tests::real_facts() / "refusals.jsonl"), 4);
}

TEST(real_refusals, all_that_were_recorded_are_ours) {
  const auto folder = tests::real_records();
  if (!folder) GTEST_SKIP() << "no records here";
  EXPECT_GE(judge_refusals(*folder / "refusals.jsonl"), 4);
}

}  // namespace
}  // namespace scattergate::routing_tests
