#include "digest/sketches/value_order.hpp"

#include <random>

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

constexpr std::uint64_t many = 20'000;

template <typename ValueAt>
double measured(ValueAt at) {
  value_order of;
  for (std::uint64_t i = 0; i < many; ++i) of.add({at(i), 0}, true);
  const auto result = of.measured();
  EXPECT_TRUE(result && result->is_of_inserts && result->values == many);
  return result ? result->correlation : 0;
}

TEST(value_order, is_one_for_values_that_grow_and_minus_one_for_those_that_shrink) {
  EXPECT_DOUBLE_EQ(measured([](std::uint64_t i) { return i; }), 1);
  EXPECT_DOUBLE_EQ(measured([](std::uint64_t i) { return many - i; }), -1);
  EXPECT_GT(measured([](std::uint64_t i) { return i / 1'000; }), 0.97) << "days";
  std::mt19937_64 random{1};
  EXPECT_GT(measured([&](std::uint64_t i) { return i + random() % 500; }), 0.97)
      << "clocks that differ";
}

TEST(value_order, is_near_zero_for_values_without_order) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random{seed};
    EXPECT_LT(std::abs(measured([&](std::uint64_t) { return random(); })), 0.6);
    EXPECT_LT(std::abs(measured([&](std::uint64_t) { return random() % 3; })), 0.6);
  }
  EXPECT_EQ(measured([](std::uint64_t) { return std::uint64_t{7}; }), 0);
}

TEST(value_order, compares_sixteen_bytes) {
  value_order of;
  for (std::uint64_t i = 0; i < many; ++i) of.add({5, i}, false);
  EXPECT_DOUBLE_EQ(of.measured()->correlation, 1);
}

TEST(value_order, is_that_of_new_documents_if_there_are_any) {
  value_order of;
  for (std::uint64_t i = 0; i < 100; ++i) of.add({100 - i, 0}, false);
  EXPECT_DOUBLE_EQ(of.measured()->correlation, -1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    of.add({i, 0}, true);
    of.add({1'000 - i, 0}, false);
  }
  EXPECT_DOUBLE_EQ(of.measured()->correlation, 1);
  EXPECT_TRUE(of.measured()->is_of_inserts);
  EXPECT_EQ(of.measured()->values, 100U);
}

TEST(value_order, is_unknown_for_few_values) {
  value_order of;
  for (std::uint64_t i = 0; i + 1 < value_order::least_values; ++i) of.add({i, 0}, true);
  EXPECT_FALSE(of.measured());
  of.add({100, 0}, true);
  EXPECT_TRUE(of.measured());
}

TEST(value_order, of_a_sum_is_the_mean_by_values) {
  value_order of;
  for (std::uint64_t i = 0; i < 100; ++i) of.add({i, 0}, true);
  of.add({300, 0, true});
  EXPECT_DOUBLE_EQ(of.measured()->correlation, 0.25);
  of.add({400, -1, true});
  EXPECT_DOUBLE_EQ(of.measured()->correlation, (100 - 400) / 800.0);
  of.add({1'000'000, 1, false});
  EXPECT_EQ(of.measured()->values, 800U) << "queries don't count beside inserts";
}

}  // namespace
}  // namespace scattergate::digest
