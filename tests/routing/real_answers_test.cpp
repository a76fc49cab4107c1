#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/classify.hpp"
#include "routing/words/describe.hpp"
#include "tests/routing/judging_support.hpp"
#include "tests/support/real_records.hpp"

// Compares the answers of real mongos 4.4, 5.0, 8.0 and 8.2 with ours: the shards that explain
// names, or the name of the error with which they refuse.
namespace scattergate::routing_tests {
namespace {

using tests::json_document;
using wire::document_view;
using wire::element;

std::string text(document_view from, std::string_view name) {
  const auto field = wire::find_field(from, name);
  return field ? std::string{field->as_string()} : std::string{};
}

document_view document(document_view from, std::string_view name) {
  return wire::find_field(from, name)->as_document().value();
}

/// A layout: {"shardKey": {...}, "chunks": [{"min", "max", "shard"}]} of the collection db.c.
std::shared_ptr<const routing::catalog> catalog_of_layout(document_view layout,
                                                          routing::server_version version) {
  routing::collection entry;
  entry.database = "db";
  entry.name = "c";
  wire::document_reader key{document(layout, "shardKey")};
  for (element field; key.next(field);) {
    if (field.is_string()) entry.hashed_field = static_cast<int>(entry.key.size());
    entry.key.push_back({std::string{field.key()}, field.is_string()});
  }
  routing::catalog_builder builder;
  builder.set_version(version);
  EXPECT_EQ(builder.add(entry), std::nullopt);
  for (const element& member : members(wire::find_field(layout, "chunks"))) {
    const document_view chunk = member.as_document().value();
    EXPECT_EQ(
        builder.add_chunk(document(chunk, "min"), document(chunk, "max"), text(chunk, "shard")),
        std::nullopt);
  }
  EXPECT_EQ(builder.finish_collection(), std::nullopt);
  return builder.build();
}

/// mongos's answer: its shards, "s0,s2", or the error's name.
std::string answer_of(document_view recorded) {
  if (const std::string refused = text(recorded, "refused"); !refused.empty()) return refused;
  std::string shards;
  for (const element& shard : members(wire::find_field(recorded, "shards"))) {
    shards += (shards.empty() ? "" : ",") + std::string{shard.as_string()};
  }
  return shards;
}

/// Our answer in the same form; "?" if we don't know the shards.
std::string answer_of(const routing::verdict& ours, const routing::catalog& entries) {
  if (ours.refused != routing::refusal::none) return std::string{label(ours.refused)};
  // An explain shows a write's bounds, not how far the write goes beyond them (see
  // docs/decisions.md).
  if (!ours.fanout) return "?";
  std::vector<std::string> names = routing::shard_names(*ours.fanout, entries);
  std::sort(names.begin(), names.end());
  std::string shards;
  for (const std::string& name : names) shards += (shards.empty() ? "" : ",") + name;
  return shards;
}

/// Whether the shards `ours`, "s0,s2", contain all of `theirs`.
bool contains(const std::string& ours, const std::string& theirs) {
  const auto names = [](const std::string& joined) {
    std::istringstream in{joined};
    std::set<std::string> made;
    for (std::string name; std::getline(in, name, ',');) made.insert(name);
    return made;
  };
  return std::ranges::includes(names(ours), names(theirs));
}

/// Looks at every case of a file. Each of our answers must be equal, except for at most `wider`
/// ones that name further shards, or miss a refusal.
class judged_file {
 public:
  judged_file(const std::filesystem::path& path, routing::server_version version, int wider = 0)
      : name_(path.stem().string()), version_(version), wider_(wider) {
    std::ifstream lines{path};
    EXPECT_TRUE(lines) << path;
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) judge_layout(line, number);
  }

  [[nodiscard]] int judged() const { return judged_; }

 private:
  void judge_layout(const std::string& line, int number) {
    const json_document layout{line};
    const auto entries = catalog_of_layout(layout.view(), version_);
    int case_number = 0;
    for (const element& member : members(wire::find_field(layout.view(), "cases"))) {
      const document_view recorded = member.as_document().value();
      const std::string ours = answer_to(document(recorded, "command"), *entries);
      const std::string name =
          name_ + ":" + std::to_string(number) + ":" + std::to_string(case_number++);
      const std::string theirs = answer_of(recorded);
      const bool is_wider = ours != theirs && (theirs[0] != 's' || contains(ours, theirs));
      if (!is_wider || --wider_ < 0) {
        EXPECT_EQ(ours, theirs) << name;
      }
      ++judged_;
    }
  }

  std::string answer_to(document_view body, const routing::catalog& entries) {
    wire::command command = wire::command_of(body).value();
    command.database = "db";
    routing::scratch memory{block_};
    return answer_of(routing::classify(command, entries, memory), entries);
  }

  std::string name_;
  routing::server_version version_;
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
  int wider_;
  int judged_ = 0;
};

struct recorded_file {
  const char* name;
  routing::server_version version;
  int wider = 0;  ///< as in judged_file
};

int judge_all(const std::filesystem::path& folder, std::initializer_list<recorded_file> files) {
  int judged = 0;
  for (const recorded_file& file : files) {
    judged += judged_file{folder / file.name, file.version, file.wider}.judged();
  }
  return judged;
}

TEST(real_answers, of_the_repository_agree) {
  EXPECT_GT(judge_all(tests::real_facts(), {{"answers.jsonl", {4, 4}}}), 4000);
  EXPECT_GT(judge_all(tests::real_facts(), {{"answers-5.0.jsonl", {5, 0, 0}}}), 1500);
  EXPECT_GT(judge_all(tests::real_facts(), {{"answers-8.0.jsonl", {8, 0, 0}}}), 1900);
  EXPECT_EQ(judge_all(tests::real_facts(), {{"answers-8.2.jsonl", {8, 2}}}), 220);
}

/// All recorded answers if present: next to the repository, or in a folder that the
/// environment names.
TEST(real_answers, all_that_were_recorded_agree) {
  const auto folder = tests::real_records();
  if (!folder) GTEST_SKIP() << "no records here";
  EXPECT_GT(judge_all(*folder, {{"answers-applications.jsonl", {4, 4}},
                                {"answers-anything.jsonl", {4, 4}}}),
            20000);
}

TEST(real_answers, all_of_5_0_that_were_recorded_agree) {
  const auto folder = tests::real_records();
  if (!folder) GTEST_SKIP() << "no records here";
  EXPECT_GT(judge_all(*folder, {{"answers-applications-5.0.jsonl", {5, 0, 0}},
                                {"answers-anything-5.0.jsonl", {5, 0, 0}}}),
            20000);
}

TEST(real_answers, all_of_8_0_that_were_recorded_agree_or_are_wider) {
  const auto folder = tests::real_records();
  if (!folder) GTEST_SKIP() << "no records here";
  EXPECT_GT(judge_all(*folder, {{"answers-applications-8.0.jsonl", {8, 0, 0}},
                                {"answers-anything-8.0.jsonl", {8, 0, 0}, 6}}),
            20000);
}

}  // namespace
}  // namespace scattergate::routing_tests
