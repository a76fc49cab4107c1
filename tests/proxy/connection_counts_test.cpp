#include <gtest/gtest.h>

#include "proxy/acceptor.hpp"

namespace scattergate::proxy {
namespace {

TEST(connection_counts, admits_up_to_each_limit_and_again_when_somebody_leaves) {
  connection_counts counts;
  config::limit_options limits;
  limits.connections = 3;
  limits.connections_per_address = 2;
  EXPECT_TRUE(counts.admit("a", limits));
  EXPECT_TRUE(counts.admit("a", limits));
  EXPECT_FALSE(counts.admit("a", limits));
  EXPECT_TRUE(counts.admit("b", limits));
  EXPECT_FALSE(counts.admit("c", limits));
  EXPECT_EQ(counts.total(), 3U);
  counts.leave("a");
  EXPECT_FALSE(counts.admit("a", {.connections = 2}));
  EXPECT_TRUE(counts.admit("a", limits));
  for (const char* host : {"a", "a", "b"}) counts.leave(host);
  EXPECT_EQ(counts.total(), 0U);
}

}  // namespace
}  // namespace scattergate::proxy
