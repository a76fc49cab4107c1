#include "wire/work_budget.hpp"

#include <gtest/gtest.h>

namespace scattergate::wire {
namespace {

TEST(work_budget, grows_with_the_message_up_to_the_largest) {
  EXPECT_EQ(work_budget::for_message(0).limit(), limits::least_work);
  EXPECT_EQ(work_budget::for_message(1000).limit(),
            limits::least_work + 1000 * limits::work_per_byte);
  EXPECT_EQ(work_budget::for_message(limits::max_message_bytes).limit(), limits::most_work);
  EXPECT_EQ(work_budget::for_message(~std::size_t{0} / 64).limit(), limits::most_work);
}

TEST(work_budget, of_a_packed_message_follows_what_came_too) {
  constexpr std::size_t kilobyte = 1024;
  EXPECT_EQ(work_budget::for_message(1000 * kilobyte, kilobyte).limit(),
            work_budget::for_message(limits::budgeted_unpack_ratio * kilobyte).limit());
  EXPECT_EQ(work_budget::for_message(10 * kilobyte, kilobyte).limit(),
            work_budget::for_message(10 * kilobyte).limit());
}

TEST(work_budget, is_low_before_it_is_spent) {
  work_budget work{100};
  EXPECT_TRUE(work.spend(88));
  EXPECT_FALSE(work.is_low());
  EXPECT_TRUE(work.spend(12));
  EXPECT_TRUE(work.is_low());
  EXPECT_FALSE(work.is_spent());
  EXPECT_FALSE(work.spend(1));
  EXPECT_TRUE(work.is_spent());
  EXPECT_EQ(work.spent(), 101);
}

TEST(work_budget, stays_spent) {
  work_budget work{10};
  EXPECT_FALSE(work.spend(1'000'000'000'000));
  work.charge(1'000'000'000'000);
  EXPECT_FALSE(work.spend(0));
  EXPECT_TRUE(work.is_spent());
}

}  // namespace
}  // namespace scattergate::wire
