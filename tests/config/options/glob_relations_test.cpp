#include "config/options/glob_relations.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/options/rule.hpp"
#include "text/glob.hpp"

namespace scattergate::config {
namespace {

TEST(glob_relations, are_those_of_the_texts_that_match) {
  struct row {
    const char* one;
    const char* other;
    bool covers;
    bool meet;
  };
  const row rows[] = {
      {"*", "a", true, true},     {"a", "*", false, true},      {"a*", "ab*", true, true},
      {"ab*", "a*", false, true}, {"a*", "b*", false, false},   {"a*", "*b", false, true},
      {"?", "a", true, true},     {"a", "?", false, true},      {"?*", "*?", true, true},
      {"*?", "?*", true, true},   {"*", "", true, true},        {"?*", "*", false, true},
      {"*a*", "a", true, true},   {"*a*b*", "a?b", true, true}, {"a?c", "abd", false, false},
      {"**", "*", true, true},
  };
  glob_budget budget;
  for (const row& one : rows) {
    EXPECT_EQ(covers(one.one, one.other, texts::any, budget), one.covers)
        << one.one << " " << one.other;
    EXPECT_EQ(meet(one.one, one.other, texts::any, budget), one.meet)
        << one.one << " " << one.other;
  }
}

TEST(glob_relations, of_namespaces_know_that_there_is_a_dot) {
  glob_budget budget;
  EXPECT_EQ(covers("*.*", "*", texts::with_a_dot, budget), true);
  EXPECT_EQ(covers("*.*", "*", texts::any, budget), false);
  EXPECT_EQ(meet("?", "*", texts::with_a_dot, budget), true);  // "."
  EXPECT_EQ(meet("a?", "ab", texts::with_a_dot, budget), false);
  EXPECT_EQ(covers("shop.*", "shop.orders", texts::with_a_dot, budget), true);
  EXPECT_EQ(covers("shop.*", "*.orders", texts::with_a_dot, budget), false);
}

TEST(glob_relations, agree_with_all_short_texts_on_random_globs) {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size() && all[i].size() < 7; ++i) {
    for (const char letter : {'a', 'b', 'z'}) all.push_back(all[i] + letter);
  }
  std::mt19937 random{20270131};
  const auto glob = [&] {
    std::string made(random() % 5, ' ');
    for (char& letter : made) letter = "ab*?"[random() % 4];
    return made;
  };
  for (int i = 0; i < 400; ++i) {
    const std::string one = glob();
    const std::string other = glob();
    bool covers_all = true;
    bool meet_once = false;
    for (const std::string& text : all) {
      const bool in_other = text::glob_matches(other, text);
      covers_all &= !in_other || text::glob_matches(one, text);
      meet_once |= in_other && text::glob_matches(one, text);
    }
    glob_budget budget;
    ASSERT_EQ(covers(one, other, texts::any, budget), covers_all) << one << " " << other;
    ASSERT_EQ(meet(one, other, texts::any, budget), meet_once) << one << " " << other;
  }
}

TEST(glob_relations, give_up_where_an_answer_takes_too_long) {
  std::string wide;
  std::string narrow;
  for (int i = 0; i < 60; ++i) {
    wide += "*a?";
    narrow += "*?a";
  }
  glob_budget budget;
  static_cast<void>(covers(wide + "b", narrow, texts::any, budget));
  while (budget.spend()) {
  }
  EXPECT_EQ(covers("a*", "b*", texts::any, budget), std::nullopt);
  EXPECT_EQ(covers(std::string(300, 'a'), "b", texts::any, budget), std::nullopt);
}

}  // namespace
}  // namespace scattergate::config
