#include "routing/catalog/collation.hpp"

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"

namespace scattergate::routing_tests {
namespace {

using routing::collation_of;
using routing::collation_rules;

/// Whether two collations, in JSON, are the same one.
bool same(std::string_view left, std::string_view right) {
  const tests::json_document one{left};
  const tests::json_document other{right};
  return collation_of(one.view()) == collation_of(other.view());
}

TEST(collation, none_is_the_simple_one) {
  EXPECT_TRUE(same("{}", R"({"locale": "simple"})"));
  EXPECT_TRUE(collation_rules{}.is_simple());
}

TEST(collation, fields_left_out_have_their_defaults) {
  EXPECT_TRUE(same(R"({"locale": "en"})",
                   R"({"strength": 3, "locale": "en", "caseLevel": false, "caseFirst": "off",
                       "numericOrdering": false, "alternate": "non-ignorable",
                       "maxVariable": "punct", "normalization": false, "backwards": false,
                       "version": "57.1"})"));
  EXPECT_TRUE(same(R"({"locale": "da"})", R"({"locale": "da", "caseFirst": "upper"})"));
  EXPECT_TRUE(same(R"({"locale": "fr_CA"})", R"({"backwards": true, "locale": "fr_CA"})"));
  EXPECT_TRUE(same(R"({"locale": "th"})", R"({"locale": "th", "alternate": "shifted"})"));
}

TEST(collation, each_field_makes_another_one) {
  for (const std::string_view other :
       {R"({"locale": "fr"})", R"({"locale": "en", "strength": 2})",
        R"({"locale": "en", "caseLevel": true})", R"({"locale": "en", "caseFirst": "lower"})",
        R"({"locale": "en", "numericOrdering": true})",
        R"({"locale": "en", "alternate": "shifted"})",
        R"({"locale": "en", "maxVariable": "space"})",
        R"({"locale": "en", "normalization": true})",
        R"({"locale": "en", "backwards": true})"}) {
    EXPECT_FALSE(same(R"({"locale": "en"})", other)) << other;
  }
}

/// The result of routing::names_simple: yes, no, or none.
std::string named(std::string_view command) {
  const tests::json_document document{command};
  const auto simple = routing::names_simple(wire::find_field(document.view(), "collation"));
  return !simple ? "none" : *simple ? "yes" : "no";
}

TEST(collation, whether_a_command_asks_for_the_simple_one_has_one_answer) {
  EXPECT_EQ(named("{}"), "none");
  EXPECT_EQ(named(R"({"collation": {}})"), "none");
  EXPECT_EQ(named(R"({"collation": 5})"), "none");
  EXPECT_EQ(named(R"({"collation": {"locale": "simple"}})"), "yes");
  EXPECT_EQ(named(R"({"collation": {"locale": "en"}})"), "no");
  EXPECT_EQ(named(R"({"collation": {"strength": 2}})"), "no");  // mongos refuses it
  EXPECT_EQ(named(R"({"collation": {"locale": 5}})"), "no");
}

}  // namespace
}  // namespace scattergate::routing_tests
