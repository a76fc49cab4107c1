#include "text/ci_commands.hpp"

#include <gtest/gtest.h>

namespace scattergate::text {
namespace {

TEST(without_ci_commands, breaks_what_a_runner_takes_for_a_command) {
  const auto broken = [](const char* text) { return without_ci_commands(text, "!"); };
  EXPECT_EQ(broken(""), "");
  EXPECT_EQ(broken("## [x] ##1[ #[x] ##error"), "## [x] ##1[ #[x] ##error");
  EXPECT_EQ(broken("a##[error]b"), "a#![error]b");
  EXPECT_EQ(broken("####vso[x]##teamcity[y]##"), "###!vso[x]#!teamcity[y]##");
}

TEST(without_ci_commands, keeps_the_meaning_of_json) {
  EXPECT_EQ(without_ci_commands(R"({"a##[error]":"##"})", hash_in_json),
            R"({"a#\u0023[error]":"##"})");
}

}  // namespace
}  // namespace scattergate::text
