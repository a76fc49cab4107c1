#include "config/text/problem_log.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "text/problem.hpp"

namespace scattergate::config {
namespace {

TEST(a_problem, is_one_line_whatever_it_quotes) {
  problem_log log{"a.yaml"};
  log.add(2, "a\tb.c: a pipeline without viewOn");
  log.add(3, "unknown escape character: \xd0");  // as yaml-cpp quotes it
  EXPECT_EQ(log.take(),
            (std::vector<text::problem>{{"a.yaml:2", "a?b.c: a pipeline without viewOn"},
                                        {"a.yaml:3", "unknown escape character: ?"}}));
}

}  // namespace
}  // namespace scattergate::config
