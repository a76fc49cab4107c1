#include "text/utf8.hpp"

#include <string>

#include <gtest/gtest.h>

namespace scattergate::text {
namespace {

TEST(utf8, knows_well_formed_text) {
  for (const char* text : {"", "plain", "h\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                           "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_plain(text)) << text;
    EXPECT_EQ(to_plain(text), text);
  }
}

TEST(utf8, knows_malformed_text) {
  for (const char* text :
       {"\x80", "\xC3", "\xC0\xAF", "\xC1\xBF", "\xE2\x82", "\xE0\x9F\x80", "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "ok\xFE"}) {
    EXPECT_FALSE(is_plain(text)) << text;
    EXPECT_TRUE(is_plain(to_plain(text))) << text;
  }
}

TEST(utf8, replaces_only_what_is_malformed) {
  EXPECT_EQ(to_plain("a\xFFz\xC3\xA9"), "a\xEF\xBF\xBDz\xC3\xA9");
}

TEST(utf8, replaces_what_no_one_sees) {
  for (const std::string unseen :
       {"\x1B", "\n", "\x7f", "\xC2\x80", "\xC2\x9B", "\xD8\x9C", "\xE2\x80\x8E",
        "\xE2\x80\xA8", "\xE2\x80\xAE", "\xE2\x81\xA6"}) {
    EXPECT_FALSE(is_plain("a" + unseen));
    EXPECT_EQ(to_plain("a" + unseen + "b"),
              "a\xEF\xBF\xBD"
              "b");
  }
}

TEST(utf8, cuts_before_a_sequence_that_has_no_room) {
  EXPECT_EQ(cut_utf8("abc", 3), "abc");
  EXPECT_EQ(cut_utf8("abcd", 3), "abc");
  EXPECT_EQ(cut_utf8("ab\xC3\xA9", 3), "ab");
  EXPECT_EQ(cut_utf8("a\xF0\x9F\x98\x80", 4), "a");
  EXPECT_EQ(cut_utf8("\xE2\x82\xAC!", 3), "\xE2\x82\xAC");
  EXPECT_EQ(cut_utf8("\xE2\x82\xAC!", 1), "");
}

TEST(utf8, cuts_text_that_is_malformed_at_the_limit) {
  EXPECT_EQ(cut_utf8("\x80\x80\x80\x80\x80\x80\x80\x80", 6).size(), 6U);
}

}  // namespace
TEST(utf8, dots_follow_only_what_was_cut) {
  EXPECT_EQ(cut_with_dots("abc", 3), "abc");
  EXPECT_EQ(cut_with_dots("abcd", 3), "abc...");
  EXPECT_EQ(cut_with_dots("ab\xC3\xA9", 3), "ab...");
}

}  // namespace scattergate::text
