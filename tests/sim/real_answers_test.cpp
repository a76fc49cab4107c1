#include <filesystem>

#include <gtest/gtest.h>

#include "sim/values/bson_codec.hpp"
#include "tests/sim/recorded_answers.hpp"
#include "tests/support/real_records.hpp"
#include "tests/support/sanitizer.hpp"

// The explain replies of a real mongos 4.4, a 5.0, an 8.0 and an 8.2, compared with the
// simulator, which is the second opinion on ours: the shards, or the name of the error.
namespace scattergate::sim {
namespace {

int judge_file(const std::filesystem::path& file, std::string_view version) {
  return for_each_recorded(
      file, version,
      [&](const document& recorded, const std::string& ours, const document& layout) {
        EXPECT_EQ(ours, recorded_answer(recorded))
            << file.filename() << ", world " << number_argument(layout, "world", 0) << ": "
            << to_json(document_argument(recorded, "command"));
      });
}

TEST(real_answers, of_the_repository_are_given_too) {
  EXPECT_GT(judge_file(tests::real_facts() / "answers.jsonl", "4.4"), 4000);
  EXPECT_GT(judge_file(tests::real_facts() / "answers-5.0.jsonl", "5.0"), 1000);
  EXPECT_GT(judge_file(tests::real_facts() / "answers-8.0.jsonl", "8.0"), 1900);
  EXPECT_EQ(judge_file(tests::real_facts() / "answers-8.2.jsonl", "8.2"), 220);
}

/// All recorded answers if present: next to the repository, or in a folder that the
/// environment names.
TEST(real_answers, all_that_were_recorded_are_given_too) {
  const auto folder = tests::real_records();
  if (!folder) GTEST_SKIP() << "no records here";
  if (tests::has_sanitizer) GTEST_SKIP() << "those of the repository are enough";
  EXPECT_EQ(judge_file(*folder / "answers-applications.jsonl", "4.4"), 12'000);
  EXPECT_EQ(judge_file(*folder / "answers-anything.jsonl", "4.4"), 9'000);
  EXPECT_EQ(judge_file(*folder / "answers-applications-5.0.jsonl", "5.0"), 12'000);
  EXPECT_EQ(judge_file(*folder / "answers-anything-5.0.jsonl", "5.0"), 9'000);
  EXPECT_EQ(judge_file(*folder / "answers-applications-8.0.jsonl", "8.0"), 12'000);
  EXPECT_EQ(judge_file(*folder / "answers-anything-8.0.jsonl", "8.0"), 9'000);
}

}  // namespace
}  // namespace scattergate::sim
