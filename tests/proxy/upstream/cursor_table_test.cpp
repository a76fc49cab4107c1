#include "proxy/upstream/cursor_table.hpp"

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::proxy {
namespace {

cursor_origin scattered() {
  return {routing::routing_class::scatter_gather, routing::bounds_kind::full,
          routing::reason::missing_key};
}

TEST(cursor_table, remembers_until_asked_to_forget) {
  cursor_table cursors;
  EXPECT_FALSE(cursors.find(7));
  cursors.remember(7, scattered(), 1);
  ASSERT_TRUE(cursors.find(7));
  EXPECT_EQ(cursors.find(7)->why, routing::reason::missing_key);
  EXPECT_EQ(cursors.size(), 1U);
  cursors.forget(7);
  EXPECT_FALSE(cursors.find(7));
  EXPECT_EQ(cursors.size(), 0U);
}

TEST(cursor_table, keeps_one_entry_for_a_cursor_that_is_remembered_twice) {
  cursor_table cursors;
  cursors.remember(-5, scattered(), 1);
  cursors.remember(-5, {}, 1);
  EXPECT_EQ(cursors.size(), 1U);
  EXPECT_EQ(cursors.find(-5)->routing, routing::routing_class::unknown);
}

TEST(cursor_table, forgets_an_old_cursor_rather_than_grow) {
  cursor_table cursors;
  constexpr std::int64_t many = 1'000'000;
  for (std::int64_t id = 1; id <= many; ++id) cursors.remember(id, scattered(), 1);
  EXPECT_EQ(cursors.size() + cursors.evictions(), static_cast<std::uint64_t>(many));
  EXPECT_GT(cursors.size(), 30'000U);
  EXPECT_TRUE(cursors.find(many));
}

TEST(cursor_table, who_opens_very_many_forgets_their_own) {
  cursor_table cursors;
  for (std::int64_t id = 1; id <= 1000; ++id) {
    cursors.remember(id, scattered(), static_cast<std::uint64_t>(id));
  }
  for (std::int64_t id = 10'000; id < 400'000; ++id) cursors.remember(id, scattered(), 5000);
  const auto kept = [&cursors](std::int64_t first) {
    int count = 0;
    for (std::int64_t id = first; id < first + 1000; ++id) count += cursors.find(id) ? 1 : 0;
    return count;
  };
  // But for those that share a set with several others: four on average, for any seed.
  EXPECT_GT(kept(1), 970);
  for (std::int64_t id = 2000; id < 3000; ++id) cursors.remember(id, scattered(), 6000);
  EXPECT_GT(kept(2000), 970);
}

TEST(cursor_table, serves_several_threads) {
  cursor_table cursors;
  std::vector<std::thread> threads;
  for (std::int64_t t = 1; t <= 4; ++t) {
    threads.emplace_back([&cursors, t] {
      for (std::int64_t i = 0; i < 2000; ++i) {
        const std::int64_t id = i * 4 + t;
        cursors.remember(id, scattered(), 1);
        EXPECT_TRUE(cursors.find(id));
        cursors.forget(id);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(cursors.size(), 0U);
}

}  // namespace
}  // namespace scattergate::proxy
