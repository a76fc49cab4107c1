#include "tests/support/allocation_counter.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::tests {
namespace {

TEST(allocation_counter, sees_every_form_of_new) {
  struct alignas(64) wide {
    int value = 0;
  };
  const allocation_counter allocations;
  const auto one = std::make_unique<int>(1);
  EXPECT_EQ(allocations.count(), 1U);
  const auto many = std::make_unique<int[]>(2);
  EXPECT_EQ(allocations.count(), 2U);
  const auto aligned = std::make_unique<wide>();
  EXPECT_EQ(allocations.count(), 3U);
  const std::unique_ptr<int> unthrowing{new (std::nothrow) int{3}};
  EXPECT_EQ(allocations.count(), 4U);
  const std::vector<int> none;
  EXPECT_EQ(allocations.count(), 4U);
}

}  // namespace
}  // namespace scattergate::tests
