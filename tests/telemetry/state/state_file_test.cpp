#include "telemetry/state/state_file.hpp"

#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest/sketches/stored_sketches.hpp"
#include "digest/stored.hpp"
#include "telemetry/history/history_text.hpp"
#include "tests/digest/random_table.hpp"
#include "tests/digest/sketches/sketch_streams.hpp"
#include "tests/support/problem_in.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t max_rows = 100;

std::vector<std::string> names_in(const tests::temporary_folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{folder.file("")}) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

TEST(state_file, gives_back_what_was_written) {
  const tests::temporary_folder folder;
  state_file file{folder.file("state")};
  const digest::table written = digest::random_table(1);
  EXPECT_TRUE(file.write(digest::stored_text(digest::random_table(2))));
  EXPECT_TRUE(file.write(digest::stored_text(written)));
  const auto found = file.read(max_rows);
  EXPECT_FALSE(found.problem);
  EXPECT_EQ(digest::stored_text(found.rows), digest::stored_text(written));
  EXPECT_THAT(names_in(folder), testing::ElementsAre("state"));
}

std::string with_history() {
  history past;
  command_counts counts;
  counts.of[command_counts::findings] = 5;
  past.advance(std::chrono::system_clock::now());
  past.add({"shop", "orders", counts, 5});
  return digest::stored_text(digest::random_table(1)) + stored_history(past);
}

TEST(state_file, keeps_the_history_behind_the_digest) {
  const tests::temporary_folder folder;
  state_file file{folder.file("state")};
  ASSERT_TRUE(file.write(with_history()));
  const auto found = file.read(max_rows);
  EXPECT_FALSE(found.problem || found.history_problem);
  EXPECT_EQ(found.rows.all().commands, digest::random_table(1).all().commands);
  ASSERT_EQ(found.past.ranked().size(), 1U);
  EXPECT_EQ(found.past.ranked()[0]->name, "orders");
}

TEST(state_file, whose_history_is_damaged_costs_nothing_but_that) {
  const tests::temporary_folder folder;
  state_file file{folder.file("state")};
  ASSERT_TRUE(file.write(with_history()));
  std::string text = tests::read_file(folder.file("state"));
  text[text.rfind("findings")] ^= 1;
  std::ofstream{folder.file("state")} << text;
  const auto found = file.read(max_rows);
  EXPECT_FALSE(found.problem);
  EXPECT_EQ(found.rows.all().commands, digest::random_table(1).all().commands);
  EXPECT_THAT(scattergate::tests::problem_in(found.history_problem),
              HasSubstr("the history is corrupt"));
  EXPECT_TRUE(found.past.ranked().empty());
}

fleet::stored_ledger sample_ledger() {
  fleet::stored_ledger made{"6f0e-uuid", 4, std::nullopt,
                            digest::stored_text(digest::random_table(2))};
  made.frozen =
      fleet::frozen_delta{5, "id", 8, {}, {}, digest::stored_text(digest::random_table(3)), 7};
  return made;
}

TEST(state_file, keeps_the_fleets_ledger_behind_the_history) {
  const tests::temporary_folder folder;
  state_file file{folder.file("state")};
  ASSERT_TRUE(file.write(with_history() + fleet::stored_text(sample_ledger())));
  const auto found = file.read(max_rows);
  EXPECT_FALSE(found.problem || found.history_problem || found.ledger_problem);
  EXPECT_EQ(found.rows.all().commands, digest::random_table(1).all().commands);
  EXPECT_EQ(found.past.ranked().size(), 1U);
  ASSERT_TRUE(found.ledger);
  EXPECT_EQ(*found.ledger, sample_ledger());
}

digest::sketch_set sample_sketches() {
  digest::sketch_set made{digest::some_salt.id()};
  digest::pin(*made.find_or_add("shop", "orders"), {{"tenant", 7}, {"_id", 1}});
  return made;
}

TEST(state_file, keeps_sketches_and_the_fleets_ledger) {
  const tests::temporary_folder folder;
  state_file file{folder.file("state")};
  const std::string sketches = digest::stored_sketches(sample_sketches());
  std::string text = with_history() + fleet::stored_text(sample_ledger());
  text.insert(text.find(stored_history_begins), sketches);
  ASSERT_TRUE(file.write(text));
  const auto found = file.read(max_rows);
  EXPECT_FALSE(found.problem || found.history_problem || found.sketches_problem ||
               found.ledger_problem);
  EXPECT_EQ(found.rows.all().commands, digest::random_table(1).all().commands);
  EXPECT_EQ(found.past.ranked().size(), 1U);
  ASSERT_TRUE(found.sketches && found.ledger);
  EXPECT_EQ(digest::stored_sketches(*found.sketches), sketches);
  EXPECT_EQ(*found.ledger, sample_ledger());
}

TEST(state_file, whose_ledger_is_damaged_costs_nothing_but_that) {
  const tests::temporary_folder folder;
  state_file file{folder.file("state")};
  ASSERT_TRUE(file.write(with_history() + fleet::stored_text(sample_ledger())));
  std::string text = tests::read_file(folder.file("state"));
  text[text.find("6f0e-uuid")] = 'x';
  std::ofstream{folder.file("state")} << text;
  const auto found = file.read(max_rows);
  EXPECT_FALSE(found.problem || found.history_problem);
  EXPECT_EQ(found.rows.all().commands, digest::random_table(1).all().commands);
  EXPECT_FALSE(found.ledger);
  EXPECT_TRUE(found.ledger_problem);
  // The next write replaces the file; a copy stays for a look at it.
  const std::string aside =
      file.set_aside_since(std::chrono::system_clock::now() - std::chrono::hours{1});
  EXPECT_EQ(tests::read_file(aside), text);
  EXPECT_EQ(file.set_aside_since(std::chrono::system_clock::now() + std::chrono::hours{1}), "");
}

TEST(state_file, is_empty_where_there_is_none_yet) {
  const tests::temporary_folder folder;
  const auto found = state_file{folder.file("state")}.read(max_rows);
  EXPECT_FALSE(found.problem);
  EXPECT_EQ(found.rows.size(), 0U);
}

TEST(state_file, that_is_damaged_is_set_aside_and_costs_only_itself) {
  const tests::temporary_folder folder;
  state_file file{folder.file("state")};
  ASSERT_TRUE(file.write(digest::stored_text(digest::random_table(1))));
  std::string text = tests::read_file(folder.file("state"));
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  std::ofstream{folder.file("state")} << text;
  const auto found = file.read(max_rows);
  EXPECT_EQ(found.rows.size(), 0U);
  EXPECT_THAT(scattergate::tests::problem_in(found.problem),
              HasSubstr("set aside as " + folder.file("state.corrupt-2")));
  ASSERT_EQ(names_in(folder).size(), 1U);
  EXPECT_EQ(tests::read_file(folder.file(names_in(folder).front())), text);
  EXPECT_TRUE(file.write(digest::stored_text(digest::random_table(1))));
  EXPECT_FALSE(file.read(max_rows).problem);
}

TEST(state_file, that_is_something_else_is_set_aside) {
  for (const std::string text : {"", "\n", "{}", "collections: []\n"}) {
    const tests::temporary_folder folder;
    std::ofstream{folder.file("state")} << text;
    const auto found = state_file{folder.file("state")}.read(max_rows);
    EXPECT_THAT(scattergate::tests::problem_in(found.problem), HasSubstr("set aside")) << text;
    EXPECT_FALSE(fs::exists(folder.file("state")));
  }
}

TEST(state_file, is_for_its_owner_and_group) {
  const tests::temporary_folder folder;
  state_file file{folder.file("state")};
  const mode_t mask = ::umask(0);
  EXPECT_TRUE(file.write(digest::stored_text(digest::table{1})));
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(folder.file("state").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(state_file, stays_as_it_was_where_a_new_one_cannot_be_written) {
  const tests::temporary_folder folder;
  state_file file{folder.file("state")};
  ASSERT_TRUE(file.write(digest::stored_text(digest::random_table(1))));
  const std::string before = tests::read_file(folder.file("state"));
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit full{1'000, limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &full);
  const auto written = file.write(digest::stored_text(digest::random_table(2)));
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(scattergate::tests::problem_in(written),
              HasSubstr("cannot be written: File too large"));
  EXPECT_EQ(tests::read_file(folder.file("state")), before);
  EXPECT_THAT(names_in(folder), testing::ElementsAre("state"));
}

TEST(state_file, in_no_folder_cannot_be_written) {
  state_file file{"/nowhere/state"};
  EXPECT_THAT(scattergate::tests::problem_in(file.write(digest::stored_text(digest::table{1}))),
              HasSubstr("No such file or directory"));
  EXPECT_FALSE(file.read(max_rows).problem);
}

TEST(state_file, never_replaces_what_is_no_file) {
  const tests::temporary_folder folder;
  fs::create_directory(folder.file("state"));
  state_file file{folder.file("state")};
  EXPECT_THAT(scattergate::tests::problem_in(file.read(max_rows).problem),
              HasSubstr("not a regular file"));
  EXPECT_THAT(scattergate::tests::problem_in(file.write(digest::stored_text(digest::table{1}))),
              HasSubstr("not a regular file"));
  EXPECT_TRUE(fs::is_directory(folder.file("state")));
  EXPECT_THAT(scattergate::tests::problem_in(
                  state_file{"/dev/null"}.write(digest::stored_text(digest::table{1}))),
              HasSubstr("not a regular file"));
}

TEST(state_file, that_a_link_points_to_is_replaced_and_the_link_stays) {
  const tests::temporary_folder folder;
  fs::create_directory(folder.file("real"));
  ASSERT_TRUE(
      state_file{folder.file("real/state")}.write(digest::stored_text(digest::table{1})));
  fs::create_symlink(folder.file("real/state"), folder.file("state"));
  EXPECT_TRUE(
      state_file{folder.file("state")}.write(digest::stored_text(digest::random_table(3))));
  EXPECT_TRUE(fs::is_symlink(folder.file("state")));
  EXPECT_GT(state_file{folder.file("real/state")}.read(max_rows).rows.size(), 0U);
}

TEST(state_file, does_not_follow_a_link_laid_for_its_temporary_file) {
  const tests::temporary_folder folder;
  std::ofstream{folder.file("victim")} << "precious";
  fs::create_symlink(folder.file("victim"),
                     folder.file("state.new-" + std::to_string(::getpid())));
  EXPECT_TRUE(state_file{folder.file("state")}.write(digest::stored_text(digest::table{1})));
  EXPECT_EQ(tests::read_file(folder.file("victim")), "precious");
}

}  // namespace
}  // namespace scattergate::telemetry
