#include "telemetry/shapes/running_tests.hpp"

#include <string>

#include <gtest/gtest.h>

namespace scattergate::telemetry {
namespace {

TEST(running_tests, are_of_the_worker_or_of_all) {
  running_tests tests;
  EXPECT_EQ(tests.find("app"), "");
  tests.begin("", "one");
  EXPECT_EQ(tests.find("app"), "one");
  tests.begin("", "two");
  EXPECT_EQ(tests.find(""), "two");
  tests.begin("gw1", "three");
  EXPECT_EQ(tests.find("gw1"), "three");
  EXPECT_EQ(tests.find("app"), "two | three");
  tests.end("gw1");
  tests.end("unknown");
  EXPECT_EQ(tests.find("gw1"), "two");
  tests.end("");
  EXPECT_EQ(tests.find("app"), "");
}

TEST(running_tests, are_bounded_and_plain) {
  running_tests tests;
  tests.begin("", "a\nb");
  EXPECT_EQ(tests.find(""),
            "a\xEF\xBF\xBD"
            "b");
  for (int i = 0; i < 1'000; ++i) {
    tests.begin(std::to_string(i), std::string(10'000, 'x'));
  }
  EXPECT_EQ(tests.find("0").size(), running_tests::most_text);
  EXPECT_EQ(tests.find("app").size(), running_tests::most_text);
  EXPECT_NE(tests.find("999"), tests.find("0"));
}

}  // namespace
}  // namespace scattergate::telemetry
