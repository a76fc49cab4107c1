#include <gtest/gtest.h>

#include "text/printable.hpp"

namespace scattergate::text {
namespace {

TEST(ci_safe, breaks_what_a_runner_takes_for_a_command) {
  const auto broken = [](const char* text) { return ci_safe(text, ci_syntax::plain); };
  EXPECT_EQ(broken(""), "");
  EXPECT_EQ(broken("## [x] ##1[ #[x] ##error"), "## [x] ##1[ #[x] ##error");
  EXPECT_EQ(broken("a##[error]b"), "a#\\#[error]b");
  EXPECT_EQ(broken("####vso[x]##teamcity[y]##"), "###\\#vso[x]#\\#teamcity[y]##");
  EXPECT_EQ(broken("a section_start:1:x section_end:2:x"),
            "a section\\_start:1:x section\\_end:2:x");
  EXPECT_EQ(broken("section_start: section_x:1 section_end"),
            "section_start: section_x:1 section_end");
}

TEST(ci_safe, breaks_what_is_a_command_at_the_start_of_a_line) {
  const auto broken = [](const char* text) { return ci_safe(text, ci_syntax::plain); };
  EXPECT_EQ(broken("::error::x\na ::error::x\n"), "\\::error::x\na ::error::x\n");
  EXPECT_EQ(broken("a\r::x"), "a\r\\::x");
  EXPECT_EQ(broken("\t\u00a0 ::x\n\n ::y"), "\t\u00a0 \\::x\n\n \\::y");
  EXPECT_EQ(broken("--- a\n+++ b\n~~~ c\n^^^ +++\n---\n +++ d"),
            "\\--- a\n\\+++ b\n\\~~~ c\n\\^^^ +++\n---\n +++ d");
  EXPECT_EQ(ci_safe_part("::x ##[y]", ci_syntax::plain), "::x #\\#[y]");
}

TEST(ci_safe, is_the_same_when_applied_again) {
  const std::string once = ci_safe("::a##[b]\n--- section_start:1:c\n", ci_syntax::plain);
  EXPECT_EQ(ci_safe(once, ci_syntax::plain), once);
}

TEST(ci_safe, keeps_the_meaning_of_json_and_markup) {
  EXPECT_EQ(ci_safe(R"({"a##[error]":"##section_end:1:x"})", ci_syntax::json),
            R"({"a#\u0023[error]":"##section\u005fend:1:x"})");
  EXPECT_EQ(ci_safe("<p>##[x]\n::y\n--- z</p>", ci_syntax::markup),
            "<p>#&#35;[x]\n&#58;:y\n&#45;-- z</p>");
}

}  // namespace
}  // namespace scattergate::text
