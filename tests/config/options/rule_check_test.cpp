#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "config/options/options_check.hpp"
#include "config/text/problem_log.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/problem.hpp"

namespace scattergate::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The messages about rules, each "line: words".
std::vector<std::string> said_of(const std::string& rules) {
  const test::temporary_folder folder;
  flags given;
  given.config_file = folder.write("s.yaml", "rules:\n" + rules);
  const auto loaded = load_options(given, {}, purpose::inspect);
  for (const text::problem& one : loaded.problems) ADD_FAILURE() << to_string(one);
  std::vector<std::string> said;
  const std::string file = *given.config_file + ":";
  for (const text::problem& one : check_rules(loaded.value.rules, 2027y / 1 / 31)) {
    std::string line = to_string(one);
    for (std::size_t at = line.find(file); at != line.npos; at = line.find(file)) {
      line.erase(at, file.size());
    }
    said.push_back(std::move(line));
  }
  return said;
}

TEST(check_rules, reports_a_rule_to_which_an_earlier_one_leaves_nothing) {
  EXPECT_THAT(
      said_of("- {name: a, match: {namespace: \"shop.*\"}, action: accept}\n"
              "- {name: b, match: {namespace: shop.orders, app: x}, action: observe}\n"),
      ElementsAre("3: warning: rule 'b' never decides: rule 'a' (2) matches all of its "
                  "commands"));
  EXPECT_THAT(said_of("- {name: a, action: accept}\n"
                      "- {name: b, match: {command: find}, action: reject}\n"),
              ElementsAre("3: warning: rule 'b' never decides, except for commands that can't "
                          "be judged: rule 'a' (2) matches all of its commands"));
  EXPECT_THAT(
      said_of("- {name: a, match: {remote: 10.0.0.0/8, fanout: \">=2\"}, action: observe}\n"
              "- {name: b, match: {remote: [10.1.0.0/16, 10.2.3.4], fanout: 3}}\n"),
      ElementsAre(HasSubstr("rule 'b' never decides")));
}

/// A queryShapeHash of nothing but this digit.
std::string hash_of(char digit) {
  return std::string(64, digit);
}

TEST(check_rules, knows_that_only_finds_have_mongodbs_hash_of_a_shape) {
  const std::string by_a =
      "match: {queryShapeHash: [" + hash_of('a') + ", " + hash_of('c') + "]}";
  EXPECT_THAT(said_of("- {name: a, " + by_a + ", action: accept}\n" +
                      "- {name: b, match: {queryShapeHash: " + hash_of('A') + "}}\n"),
              ElementsAre(HasSubstr("rule 'b' never decides")));
  EXPECT_THAT(said_of("- {name: a, match: {command: find}, action: accept}\n- {name: b, " +
                      by_a + "}\n"),
              ElementsAre(HasSubstr("rule 'b' never decides")));
  EXPECT_THAT(
      said_of("- {name: a, match: {command: count, queryShapeHash: " + hash_of('a') + "}}\n"),
      ElementsAre(HasSubstr("can never match: queryShapeHash is known of finds alone")));
  for (const std::string& other :
       {std::string{"{command: count}"}, "{queryShapeHash: " + hash_of('b') + "}"}) {
    EXPECT_THAT(said_of("- {name: a, " + by_a + ", action: accept}\n- {name: b, match: " +
                        other + ", action: reject}\n"),
                ElementsAre())
        << other;
  }
}

TEST(check_rules, reports_nothing_where_the_earlier_one_leaves_something) {
  for (const char* pair :
       {"- {name: a, match: {namespace: shop.orders}, action: accept}\n"
        "- {name: b, match: {namespace: \"shop.*\"}, action: reject}\n",
        "- {name: a, match: {app: x}, action: accept}\n"
        "- {name: b, match: {app: y}, action: reject}\n",
        "- {name: a, match: {fanout: \">=4\"}, action: accept}\n"
        "- {name: b, match: {command: find}, action: accept}\n",
        "- {name: a, match: {fanout: \"<4\"}, action: accept}\n"
        "- {name: b, match: {fanout: \">=4\"}, action: reject}\n",
        "- {name: a, match: {remote: 10.0.0.0/9}, action: accept}\n"
        "- {name: b, match: {remote: 10.128.0.0/9}, action: reject}\n",
        "- {name: a, match: {missing: [x, y]}, action: accept}\n"
        "- {name: b, match: {missing: [x]}, action: reject}\n",
        "- {name: a, until: 2027-02-01, action: accept}\n- {name: b, action: observe}\n",
        "- {name: a, dry_run: true, match: {command: find}, action: reject}\n"
        "- {name: b, match: {command: find}, action: accept}\n"}) {
    EXPECT_THAT(said_of(pair), ElementsAre()) << pair;
  }
}

TEST(check_rules, reports_rules_of_which_the_order_decides) {
  EXPECT_THAT(said_of("- {name: a, match: {app: report}, action: accept}\n"
                      "- {name: b, match: {namespace: shop.orders}, action: reject}\n"),
              ElementsAre("3: warning: rule 'b' overlaps with rule 'a' (2), which comes first: "
                          "what both match is accepted, not rejected"));
  EXPECT_THAT(said_of("- {name: a, match: {namespace: \"shop.*\"}, action: accept}\n"
                      "- {name: b, match: {namespace: \"*.orders\"}, action: reject}\n"),
              ElementsAre(HasSubstr("overlaps with rule 'a'")));
  EXPECT_THAT(said_of("- {name: a, match: {namespace: \"shop.*\"}, action: accept}\n"
                      "- {name: b, match: {namespace: \"*.orders\"}, action: accept}\n"),
              ElementsAre());
}

TEST(check_rules, reports_what_can_never_match_whatever_comes_before) {
  EXPECT_THAT(
      said_of("- {name: a, match: {command: getMore}, action: reject}\n"),
      ElementsAre("2: warning: rule 'a' can never match: rules don't apply to getMore"));
  EXPECT_THAT(said_of("- {name: a, until: 2027-01-30, action: accept}\n"
                      "- {name: b, until: 2027-01-31, action: accept}\n"),
              ElementsAre("2: warning: rule 'a' expired on 2027-01-30"));
}

TEST(check_rules, is_done_soon_with_as_many_rules_as_there_may_be) {
  std::vector<rule> rules(2'000);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    rules[i].name = std::to_string(i);
    rules[i].action = i % 2 == 0 ? rule_action::accept : rule_action::reject;
    rules[i].match.name_space = "*" + std::string(i % 50, '?') + "a*b*c.*";
  }
  EXPECT_LE(check_rules(rules, 2027y / 1 / 31).size(), problem_log::max_problems + 1);
}

}  // namespace
}  // namespace scattergate::config
