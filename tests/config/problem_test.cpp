#include "config/problem.hpp"

#include <gtest/gtest.h>

namespace scattergate::config {
namespace {

TEST(printable, leaves_one_line_of_utf8) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable({}), "");
  EXPECT_EQ(printable("a\tb\x7f"), "a?b?");
  EXPECT_EQ(printable("\u20ac and \U0001f600"), "\u20ac and \U0001f600");
  EXPECT_EQ(printable("\xe2\x82|"), "??|");
}

TEST(in_quotes, does_not_cut_a_character_in_two) {
  const std::string most(79, 'x');
  EXPECT_EQ(in_quotes(most + "\u20acyz"), "'" + most + "...'");
  EXPECT_EQ(in_quotes(most + "y\u20ac"), "'" + most + "y...'");
  EXPECT_EQ(in_quotes(std::string(100, '\x80')), "'" + std::string(77, '?') + "...'");
}

}  // namespace
}  // namespace scattergate::config
