#include "text/printable.hpp"

#include <gtest/gtest.h>

namespace scattergate::text {
namespace {

TEST(printable, leaves_one_line_of_utf8) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable({}), "");
  EXPECT_EQ(printable("a\tb\x7f"), "a?b?");
  EXPECT_EQ(printable("\u20ac and \U0001f600"), "\u20ac and \U0001f600");
  EXPECT_EQ(printable("\xe2\x82|"), "??|");
  EXPECT_EQ(printable("a\u009b\u202e\u2066\u2028b"), "a????b");
}

TEST(printable, leaves_no_command_for_a_ci_runner) {
  EXPECT_EQ(printable("a ##[error]b"), "a #\\#[error]b");
  EXPECT_EQ(printable("###vso[task.x]"), "##\\#vso[task.x]");
  EXPECT_EQ(printable("##teamcity[x]##[y]"), "#\\#teamcity[x]#\\#[y]");
  EXPECT_EQ(printable("::1 ## [x] ##1["), "::1 ## [x] ##1[");
  EXPECT_EQ(printable_line("::error::x"), "\\::error::x");
  EXPECT_EQ(printable_line("  ::stop-commands::x"), "  \\::stop-commands::x");
  EXPECT_EQ(printable_line("\n::error::x"), "?::error::x");
  EXPECT_EQ(printable_line("from ::1"), "from ::1");
  EXPECT_EQ(printable_line("\u00a0\u3000 ::error::x"), "\u00a0\u3000 \\::error::x");
  EXPECT_EQ(printable_line("   "), "   ");
  EXPECT_EQ(printable_line(""), "");
  EXPECT_EQ(printable_lines("a\n::error::b\n##[error]\n"), "a\n\\::error::b\n#\\#[error]\n");
  EXPECT_EQ(printable_lines("a\r\n\n::error::b"), "a?\n\n\\::error::b");
}

TEST(in_quotes, does_not_cut_a_character_in_two) {
  const std::string most(79, 'x');
  EXPECT_EQ(in_quotes(most + "\u20acyz"), "'" + most + "...'");
  EXPECT_EQ(in_quotes(most + "y\u20ac"), "'" + most + "y...'");
  EXPECT_EQ(in_quotes(std::string(100, '\x80')), "'" + std::string(77, '?') + "...'");
}

}  // namespace
}  // namespace scattergate::text
