#include "config/options/rule.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "text/glob.hpp"

namespace scattergate::config {
namespace {

TEST(glob, matches_as_a_shell_does) {
  struct row {
    const char* glob;
    const char* text;
    bool matches;
  };
  const row rows[] = {
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "anything.at.all", true},
      {"?", "", false},
      {"?", "a", true},
      {"?", "ab", false},
      {"yorkie-meta.clients", "yorkie-meta.clients", true},
      {"yorkie-meta.clients", "yorkie-meta.client", false},
      {"yorkie-meta.*", "yorkie-meta.clients", true},
      {"yorkie-meta.*", "yorkie-metaXclients", false},
      {"*.clients", "a.b.clients", true},
      {"*.clients", "a.clients2", false},
      {"a*b*c", "aXbYbZc", true},
      {"a*b*c", "aXcYb", false},
      {"a?c", "abc", true},
      {"**a**", "bab", true},
      {"*ab", "aab", true},
      {"job *", "job 17", true},
      {"[a]", "a", false},  // brackets are themselves
  };
  for (const row& one : rows) {
    EXPECT_EQ(text::glob_matches(one.glob, one.text), one.matches)
        << one.glob << " " << one.text;
  }
}

// The definition, as slow as it is plain.
bool matches_by_definition(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob.front() == '*') {
    for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
      if (matches_by_definition(glob.substr(1), text.substr(skipped))) return true;
    }
    return false;
  }
  if (text.empty() || (glob.front() != '?' && glob.front() != text.front())) return false;
  return matches_by_definition(glob.substr(1), text.substr(1));
}

TEST(glob, agrees_with_its_definition_on_random_texts) {
  std::mt19937 random{20240131};
  const auto word = [&](std::string_view letters) {
    std::string made(random() % 8, ' ');
    for (char& letter : made) letter = letters[random() % letters.size()];
    return made;
  };
  std::size_t matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string glob = word("ab*?");
    const std::string text = word("ab");
    const bool expected = matches_by_definition(glob, text);
    matched += expected ? 1 : 0;
    ASSERT_EQ(text::glob_matches(glob, text), expected) << glob << " " << text;
  }
  EXPECT_GT(matched, 1'000U);
}

// With a try of every split this takes 100,000 to the power of ten comparisons.
TEST(glob, does_not_multiply_its_stars) {
  const std::string text(100'000, 'a');
  EXPECT_FALSE(text::glob_matches("*a*a*a*a*a*a*a*a*a*a*b", text));
}

TEST(fanout, is_compared_with_a_number) {
  struct row {
    const char* text;
    std::uint32_t least;
    std::uint32_t most;
  };
  const row rows[] = {
      {">=4", 4, fanout_range::any},
      {"> 4", 5, fanout_range::any},
      {"<=4", 0, 4},
      {"<4", 0, 3},
      {"4", 4, 4},
      {"= 4", 4, 4},
      {"==4", 4, 4},
      {">=0", 0, fanout_range::any},
  };
  for (const row& one : rows) {
    const auto read = parse_fanout(one.text);
    ASSERT_TRUE(read) << one.text;
    EXPECT_EQ(*read, (fanout_range{one.least, one.most})) << one.text;
    EXPECT_EQ(parse_fanout(show_fanout(*read)), read) << one.text;
  }
  for (const char* text : {"", ">=", "many", "=>4", "<0", "!=4", "4 ", "-1", ">=4294967295"}) {
    EXPECT_FALSE(parse_fanout(text)) << text;
  }
}

TEST(query_shape, is_64_hex_digits_in_upper_case) {
  EXPECT_EQ(parse_query_shape(std::string(32, '0') + std::string(31, 'a') + "F"),
            std::string(32, '0') + std::string(31, 'A') + "F");
  for (const std::size_t size : {0U, 16U, 63U, 65U}) {
    EXPECT_FALSE(parse_query_shape(std::string(size, 'A'))) << size;
  }
  EXPECT_FALSE(parse_query_shape(std::string(63, 'A') + "G"));
}

TEST(rule_action, has_the_words_of_the_configuration) {
  EXPECT_EQ(label(rule_action::observe), "observe");
  EXPECT_EQ(label(rule_action::accept), "accept");
  EXPECT_EQ(label(rule_action::throttle), "throttle");
  EXPECT_EQ(label(rule_action::reject), "reject");
}

}  // namespace
}  // namespace scattergate::config
