#include "report/sources/batch_thread.hpp"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::report {
namespace {

using number_batch = std::vector<int>;

TEST(batch_thread, takes_batches_in_their_order_on_another_thread) {
  number_batch taken;
  std::thread::id taker;
  batch_thread<number_batch> second{[&](const number_batch& some) {
    taken.insert(taken.end(), some.begin(), some.end());
    taker = std::this_thread::get_id();
  }};
  constexpr int many = 10'000;
  for (int i = 0; i < many; ++i) {
    second.filling().push_back(i);
    if (i % 7 == 0) second.hand_over();
  }
  second.finish();
  ASSERT_EQ(taken.size(), many);
  for (int i = 0; i < many; ++i) ASSERT_EQ(taken[static_cast<std::size_t>(i)], i);
  EXPECT_NE(taker, std::this_thread::get_id());
}

TEST(batch_thread, holds_no_more_batches_than_it_says) {
  std::mutex first;
  std::size_t taken = 0;
  batch_thread<number_batch> second{[&](const number_batch&) {
    const std::lock_guard wait{first};
    ++taken;
  }};
  std::size_t handed = 0;
  {
    const std::lock_guard held{first};
    for (; handed < batch_thread<number_batch>::most - 1; ++handed) second.hand_over();
    EXPECT_EQ(taken, 0U);
  }
  for (; handed < 100; ++handed) {
    second.hand_over();
    const std::lock_guard look{first};
    ASSERT_LE(handed + 1 - taken, batch_thread<number_batch>::most);
  }
  second.finish();
  EXPECT_EQ(taken, 101U);  // finish() hands over what is filled
}

TEST(batch_thread, hands_on_what_is_thrown_and_goes_on_behind_that) {
  int sum = 0;
  batch_thread<number_batch> second{[&](const number_batch& some) {
    for (const int one : some) {
      if (one < 0) throw std::runtime_error{"below nothing"};
      sum += one;
    }
  }};
  for (const int one : {1, -1, 2}) {
    second.filling().push_back(one);
    second.hand_over();
  }
  EXPECT_THROW(second.finish(), std::runtime_error);
  EXPECT_EQ(sum, 1);
  second.filling().push_back(4);
  second.finish();
  EXPECT_EQ(sum, 5);
}

}  // namespace
}  // namespace scattergate::report
