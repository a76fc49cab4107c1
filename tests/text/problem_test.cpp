#include "text/problem.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace scattergate::text {
namespace {

result<std::string> read(bool is_good) {
  if (!is_good) return problem{"scattergate.yaml:12", "expected on or off"};
  return std::string{"on"};
}

TEST(problem, says_where_and_what) {
  EXPECT_EQ(to_string(problem{"a.yaml:1", "is empty"}), "a.yaml:1: is empty");
  EXPECT_EQ(to_string(failure("is empty")), "is empty");
  EXPECT_EQ(to_string(problem{"a\n", "b\x1b"}).find_first_of("\n\x1b"), std::string::npos);
}

TEST(result, of_a_text_is_that_text_or_a_problem) {
  EXPECT_EQ(read(true).value(), "on");
  ASSERT_FALSE(read(false));
  EXPECT_EQ(read(false).error(), (problem{"scattergate.yaml:12", "expected on or off"}));
  EXPECT_EQ(read(false).operator->(), nullptr);
}

TEST(result, throws_what_is_wrong_where_failure_was_taken_for_impossible) {
  try {
    static_cast<void>(read(false).value());
    FAIL();
  } catch (const std::runtime_error& thrown) {
    EXPECT_STREQ(thrown.what(), "scattergate.yaml:12: expected on or off");
  }
}

TEST(result, of_nothing_is_done_where_nothing_is_said) {
  EXPECT_TRUE(result<void>{});
  EXPECT_FALSE(result<void>{failure("full")});
}

}  // namespace
}  // namespace scattergate::text
