#include "report/sources/selection.hpp"

#include <gtest/gtest.h>

#include "tests/report/sources/kept.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::report {
namespace {

digest::wall_time second(int number) {
  return digest::wall_time{std::chrono::seconds{1'000 + number}};
}

observation at(std::optional<int> when, std::string_view collection = "orders") {
  wire::bson_writer made;
  made.text("find", collection);
  made.text("$db", "shop");
  observation seen;
  seen.command = made.take();
  if (when) seen.at = second(*when);
  return seen;
}

digest::row row_of(int first, int last) {
  digest::row made;
  made.database = "shop";
  made.collection = "orders";
  made.count = 3;
  made.first_seen = second(first);
  made.last_seen = second(last);
  return made;
}

class what_is_chosen : public testing::Test {
 protected:
  choice asked;
  kept heard;
  selection chosen{asked, heard};
};

TEST_F(what_is_chosen, by_time_begins_with_since_and_ends_before_until) {
  asked.since = second(10);
  asked.until = second(20);
  for (const int when : {9, 10, 19, 20}) chosen.on_command(at(when));
  ASSERT_EQ(heard.commands.size(), 2U);
  EXPECT_EQ(heard.commands[0].at, second(10));
  EXPECT_EQ(heard.commands[1].at, second(19));
  EXPECT_EQ(heard.skipped, (std::map<skip_reason, int>{{skip_reason::not_chosen, 2}}));
}

TEST_F(what_is_chosen, by_time_has_nothing_without_one) {
  asked.since = second(0);
  chosen.on_command(at(std::nullopt));
  EXPECT_TRUE(heard.commands.empty());
  EXPECT_EQ(heard.skipped, (std::map<skip_reason, int>{{skip_reason::without_time, 1}}));
}

TEST_F(what_is_chosen, by_time_has_what_is_counted_as_one_where_part_of_it_may_be) {
  asked.since = second(10);
  asked.until = second(20);
  chosen.on_row(row_of(0, 9));
  chosen.on_row(row_of(20, 21));
  EXPECT_TRUE(heard.rows.empty());
  EXPECT_EQ(chosen.partly_selected(), 0U);
  chosen.on_row(row_of(10, 19));
  EXPECT_EQ(chosen.partly_selected(), 0U);
  chosen.on_row(row_of(0, 10));
  chosen.on_row(row_of(19, 30));
  chosen.on_row(row_of(0, 30));
  EXPECT_EQ(heard.rows.size(), 4U);
  EXPECT_EQ(chosen.partly_selected(), 3U);
  observation several = at(15);
  several.first = second(5);
  several.count = 7;
  chosen.on_command(several);
  EXPECT_EQ(heard.commands.size(), 1U);
  EXPECT_EQ(chosen.partly_selected(), 4U);
}

TEST_F(what_is_chosen, by_namespace_is_what_the_glob_matches) {
  asked.name_space = "shop.ord*";
  chosen.on_command(at(1));
  chosen.on_command(at(std::nullopt));
  chosen.on_command(at(1, "users"));
  chosen.on_row(row_of(1, 2));
  EXPECT_EQ(heard.commands.size(), 2U);
  EXPECT_EQ(heard.rows.size(), 1U);
  EXPECT_EQ(heard.skipped, (std::map<skip_reason, int>{{skip_reason::not_chosen, 1}}));
}

TEST_F(what_is_chosen, of_a_digest_are_its_rows_and_nothing_without_one) {
  digest::table whole{1};
  for (const int number : {1, 2}) {
    digest::row one = row_of(number, number);
    one.shape_hash = static_cast<std::uint64_t>(number);
    whole.add(one);
  }
  asked.name_space = "shop.*";
  chosen.on_digest(whole);
  EXPECT_EQ(heard.rows.size(), 1U);
  EXPECT_EQ(heard.skipped, (std::map<skip_reason, int>{{skip_reason::not_chosen, 1}}));
}

TEST_F(what_is_chosen, has_only_what_is_judged_where_there_is_nothing_to_judge_by) {
  asked.is_judged = true;
  chosen.on_command(at(1));
  chosen.on_row(row_of(1, 2));
  EXPECT_TRUE(heard.commands.empty());
  EXPECT_EQ(heard.rows.size(), 1U);
  EXPECT_EQ(heard.skipped, (std::map<skip_reason, int>{{skip_reason::not_judged, 1}}));
}

TEST_F(what_is_chosen, leaves_it_to_others_to_say_what_cannot_be_read) {
  asked.name_space = "shop.*";
  observation broken;
  broken.command = std::vector<std::byte>(3);
  chosen.on_command(broken);
  EXPECT_EQ(heard.commands.size(), 1U);
}

}  // namespace
}  // namespace scattergate::report
