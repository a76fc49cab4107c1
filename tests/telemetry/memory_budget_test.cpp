#include "telemetry/memory_budget.hpp"

#include <cstddef>
#include <list>

#include <gtest/gtest.h>

namespace scattergate::telemetry {
namespace {

TEST(memory_budget, gives_no_more_than_it_has) {
  memory_budget budget{100};
  EXPECT_TRUE(budget.reserve(60));
  EXPECT_FALSE(budget.reserve(41));
  EXPECT_TRUE(budget.reserve(40));
  EXPECT_EQ(budget.used(), 100U);
  budget.release(100);
  EXPECT_EQ(budget.used(), 0U);
}

TEST(memory_share, holds_no_more_than_it_leaves_free) {
  memory_budget budget{100};
  memory_share greedy{budget};
  EXPECT_FALSE(greedy.reserve(51));
  EXPECT_TRUE(greedy.reserve(50));
  EXPECT_FALSE(greedy.reserve(1));
  memory_share other{budget};
  EXPECT_TRUE(other.reserve(25)) << "half of what is left";
  EXPECT_FALSE(other.reserve(1));
}

TEST(memory_share, that_is_large_leaves_an_eighth_to_those_that_are_small) {
  constexpr std::size_t all = 64UL * 1024 * 1024;
  memory_budget budget{all};
  std::list<memory_share> greedy;
  for (int i = 0; i < 50; ++i) {
    memory_share& holder = greedy.emplace_back(budget);
    EXPECT_TRUE(holder.reserve(memory_share::small_bytes));
    while (holder.reserve(1000)) {
    }
  }
  EXPECT_GT(budget.used(), all - all / 8);
  memory_share late{budget};
  EXPECT_TRUE(late.reserve(memory_share::small_bytes)) << budget.used();
}

TEST(memory_share, of_many_that_grow_by_turns_leaves_an_equal_part_free) {
  constexpr std::size_t all = 1'000'000;
  memory_budget budget{all};
  std::list<memory_share> greedy;
  for (int i = 0; i < 100; ++i) greedy.emplace_back(budget);
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (memory_share& holder : greedy) has_grown = holder.reserve(10) || has_grown;
  }
  memory_share late{budget};
  EXPECT_TRUE(late.reserve(all / 101 / 2));
}

TEST(memory_share, of_strangers_leave_an_eighth_to_those_who_are_known) {
  constexpr std::size_t all = 64UL * 1024 * 1024;
  memory_budget budget{all};
  std::list<memory_share> strangers;
  for (int i = 0; i < 50; ++i) {
    memory_share& holder = strangers.emplace_back(budget);
    holder.set_stranger(true);
    while (holder.reserve(200'000)) {
    }
  }
  EXPECT_LE(budget.used(), all - all / 4);
  memory_share known{budget};
  EXPECT_TRUE(known.reserve(all / 8 - 200'000));
  EXPECT_FALSE(known.reserve(400'000));
  memory_share another{budget};
  another.set_stranger(true);
  EXPECT_FALSE(another.reserve(140'000));
  another.set_stranger(false);
  EXPECT_TRUE(another.reserve(140'000));
}

TEST(memory_share, gives_back_at_its_end) {
  memory_budget budget{100};
  {
    memory_share share{budget};
    EXPECT_TRUE(share.reserve(30));
  }
  EXPECT_EQ(budget.used(), 0U);
}

TEST(memory_lease, grows_out_of_its_share_and_gives_back_at_its_end) {
  memory_budget budget{100};
  memory_share share{budget};
  {
    memory_lease lease{share};
    EXPECT_TRUE(lease.grow_to(20));
    EXPECT_TRUE(lease.grow_to(50));
    EXPECT_FALSE(lease.grow_to(51));
    EXPECT_EQ(share.bytes(), 50U);
    EXPECT_EQ(lease.bytes(), 50U);
  }
  EXPECT_EQ(share.bytes(), 0U);
  EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace scattergate::telemetry
