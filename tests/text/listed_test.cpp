#include <gtest/gtest.h>

#include "text/names.hpp"

namespace scattergate::text {
namespace {

TEST(listed, has_twenty_names_and_counts_the_others) {
  std::vector<std::string> many;
  EXPECT_EQ(listed(many), "");
  many = {"a", "b"};
  EXPECT_EQ(listed(many), "a, b");
  EXPECT_EQ(listed(many, ","), "a,b");
  many.assign(10'000, std::string(256, 'x'));
  EXPECT_LT(listed(many).size(), 6'000U);
  EXPECT_TRUE(listed(many).ends_with(" and 9980 more"));
}

}  // namespace
}  // namespace scattergate::text
