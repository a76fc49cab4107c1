#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class accepted_rules : public testing::Test {
 protected:
  loaded_options load(std::string_view baseline, std::string_view yaml) {
    folder.write("accepted.yaml", baseline);
    flags given;
    given.config_file = folder.write("scattergate.yaml", yaml);
    return load_options(given, {}, purpose::inspect);
  }

  test::temporary_folder folder;
};

constexpr std::string_view two_shapes = R"(
accepted:
  - {shapeHash: 00000000000000ab, namespace: shop.orders, command: find, why: rare, by: dba}
  - {shapeHash: 00000000000000cd, namespace: shop.carts, until: 2020-01-01}
)";

TEST_F(accepted_rules, stand_where_the_baseline_is_named) {
  const auto loaded = load(two_shapes, R"(
rules:
  - {name: first, match: {command: update}, action: reject}
  - accepted: accepted.yaml
  - {name: last}
)");
  ASSERT_THAT(loaded.problems, ElementsAre());
  ASSERT_THAT(loaded.value.rules, SizeIs(4));
  EXPECT_EQ(loaded.value.rules[1].until,
            text::parse_day("2020-01-01"));  // it ends while running, too
  const rule& made = loaded.value.rules[2];
  EXPECT_EQ(made.name, "accepted-00000000000000ab");
  EXPECT_EQ(made.action, rule_action::accept);
  EXPECT_EQ(made.match.name_space.value, "shop.orders");
  EXPECT_EQ(made.match.shape.value, 0xabU);
  EXPECT_EQ(made.why, "rare");
  EXPECT_EQ(made.by, "dba");
  EXPECT_EQ(loaded.value.rules.back().name, "last");
}

TEST_F(accepted_rules, report_the_problems_of_the_baseline_by_its_lines) {
  const auto loaded =
      load("accepted:\n  - shapeHash: x", "rules:\n  - accepted: accepted.yaml");
  ASSERT_THAT(loaded.problems, SizeIs(1));
  EXPECT_THAT(to_string(loaded.problems[0]), HasSubstr("accepted.yaml:2: shapeHash: "));
  const auto none = load("", "rules:\n  - accepted: none.yaml");
  ASSERT_THAT(none.problems, SizeIs(1));
  EXPECT_THAT(to_string(none.problems[0]), HasSubstr("none.yaml: cannot be read"));
}

TEST_F(accepted_rules, name_a_file_and_nothing_else) {
  for (const char* yaml : {"rules:\n  - accepted: [a]", "rules:\n  - accepted:",
                           "rules:\n  - {accepted: accepted.yaml, name: x}"}) {
    EXPECT_FALSE(load(two_shapes, yaml).problems.empty()) << yaml;
  }
}

TEST_F(accepted_rules, are_bounded_like_others) {
  std::string many = "accepted:\n";
  for (int i = 0; i < 1'001; ++i) {
    const std::string digits = std::to_string(1'000'000'000'000'000 + i);
    many += "  - {shapeHash: '" + digits + "', namespace: a.b}\n";
  }
  const auto loaded = load(many, "rules:\n  - accepted: accepted.yaml");
  ASSERT_THAT(loaded.problems, SizeIs(1));
  EXPECT_THAT(loaded.problems[0].what, HasSubstr("more than 1000 rules"));
}

}  // namespace
}  // namespace scattergate::config
