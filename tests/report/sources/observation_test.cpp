#include "report/sources/observation.hpp"

#include <gtest/gtest.h>

namespace scattergate::report {
namespace {

TEST(host, is_an_address_without_its_port) {
  EXPECT_EQ(host_of("10.0.0.1:27017"), "10.0.0.1");
  EXPECT_EQ(host_of("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(host_of("[::1]:27017"), "::1");
  EXPECT_EQ(host_of("::1"), "::1");
  EXPECT_EQ(host_of("/tmp/mongodb-27017.sock"), "/tmp/mongodb-27017.sock");
  EXPECT_EQ(host_of("[::1"), "::1");
  EXPECT_EQ(host_of(""), "");
}

}  // namespace
}  // namespace scattergate::report
