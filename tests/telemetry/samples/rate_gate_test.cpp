#include "telemetry/samples/rate_gate.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::telemetry {
namespace {

using std::chrono::milliseconds;
using time_point = rate_gate::clock::time_point;

TEST(rate_gate, lets_one_through_an_interval) {
  rate_gate gate{milliseconds{100}};
  const time_point now{milliseconds{5}};
  EXPECT_TRUE(gate.pass(now));
  EXPECT_FALSE(gate.pass(now));
  EXPECT_FALSE(gate.pass(now + milliseconds{99}));
  EXPECT_TRUE(gate.pass(now + milliseconds{100}));
}

TEST(rate_gate, an_interval_of_zero_lets_nothing_through) {
  rate_gate gate{milliseconds{0}};
  EXPECT_FALSE(gate.pass(time_point{}));
  EXPECT_FALSE(gate.pass(rate_gate::clock::now()));
}

TEST(rate_gate, of_what_comes_in_its_own_rhythm_it_is_not_always_the_first) {
  rate_gate gate{milliseconds{100}, 4};
  std::vector<int> passed(4);
  for (int turn = 0; turn < 1000; ++turn) {
    for (int i = 0; i < 4; ++i) {
      const time_point now{milliseconds{100 * turn + i}};
      passed[static_cast<std::size_t>(i)] += gate.pass(now) ? 1 : 0;
    }
  }
  for (const int times : passed) EXPECT_GT(times, 20);
}

TEST(rate_gate, threads_that_ask_at_once_get_one_pass) {
  rate_gate gate{std::chrono::hours{1}};
  std::atomic<int> passed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { passed += gate.pass(rate_gate::clock::now()) ? 1 : 0; });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(passed, 1);
}

}  // namespace
}  // namespace scattergate::telemetry
