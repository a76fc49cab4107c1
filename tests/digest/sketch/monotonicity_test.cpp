#include "digest/sketch/monotonicity.hpp"

#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

using direction = monotonicity::direction;

/// What 5,000 values come to, 100 a second.
direction of(const std::function<std::uint64_t(std::uint64_t i)>& value,
             bool has_times = true) {
  monotonicity made;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    made.add({{0, value(i), 0}},
             has_times ? static_cast<std::int64_t>(1'000'000 + i / 100) : 0);
  }
  return made.all().told();
}

TEST(monotonicity, tells_how_values_come) {
  std::mt19937_64 random{3};
  const auto any = [&](std::uint64_t) { return random(); };
  for (const bool has_times : {true, false}) {
    EXPECT_EQ(of([](std::uint64_t i) { return i; }, has_times), direction::increasing);
    EXPECT_EQ(of([](std::uint64_t i) { return 10'000 - i; }, has_times), direction::decreasing);
    EXPECT_EQ(of(any, has_times), direction::none);
    // A few that lie beyond all others, as dates without an end do, hide nothing.
    EXPECT_EQ(of([](std::uint64_t i) { return i % 10 == 0 ? 1U << 30U : i; }, has_times),
              direction::increasing);
    EXPECT_EQ(of([](std::uint64_t) { return 5; }, has_times), direction::unknown);
  }
}

TEST(monotonicity, clients_that_make_values_at_the_same_time_are_no_disorder) {
  std::mt19937_64 random{4};
  EXPECT_EQ(of([&](std::uint64_t i) { return i / 100 << 32U | random() >> 32U; }),
            direction::increasing);
}

TEST(monotonicity, of_few_values_is_unknown) {
  monotonicity made;
  for (std::uint64_t i = 0; i < 90; ++i)
    made.add({{0, i, 0}}, static_cast<std::int64_t>(10 * i + 1));
  EXPECT_EQ(made.all().told(), direction::unknown);
}

TEST(monotonicity, adds_up) {
  monotonicity::counts one{100, 80, 5};
  one.add({100, 70, 5});
  EXPECT_EQ(one, (monotonicity::counts{200, 150, 10}));
  EXPECT_EQ(one.told(), direction::increasing);
}

}  // namespace
}  // namespace scattergate::digest
