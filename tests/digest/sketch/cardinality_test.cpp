#include "digest/sketch/cardinality.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

std::vector<std::uint64_t> distinct_hashes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<std::uint64_t> hashes(count);
  for (auto& each : hashes) each = random();
  return hashes;
}

TEST(cardinality, is_within_its_error) {
  EXPECT_EQ(cardinality{}.estimate(), 0);
  // Over many seeds the errors are those of the formula, without a bias.
  for (const std::size_t count :
       {1UL, 10UL, 100UL, 1'000UL, 5'000UL, 10'000UL, 100'000UL, 1'000'000UL}) {
    const int seeds = count > 100'000 ? 10 : 60;
    double sum = 0;
    double squares = 0;
    for (int seed = 0; seed < seeds; ++seed) {
      cardinality of;
      for (const auto hash : distinct_hashes(count, static_cast<std::uint64_t>(seed))) {
        of.add(hash);
        of.add(hash);
      }
      const double off = of.estimate() / static_cast<double>(count) - 1;
      EXPECT_LT(std::abs(off), 5 * cardinality::error) << count;
      sum += off;
      squares += off * off;
    }
    EXPECT_LT(std::abs(sum / seeds), 4 * cardinality::error / std::sqrt(seeds)) << count;
    EXPECT_LT(std::sqrt(squares / seeds), 1.5 * cardinality::error) << count;
  }
}

TEST(cardinality, of_parts_is_that_of_the_whole) {
  const auto hashes = distinct_hashes(20'000, 7);
  cardinality whole;
  cardinality first;
  cardinality second;
  for (std::size_t i = 0; i != hashes.size(); ++i) {
    whole.add(hashes[i]);
    if (i % 3 != 0) first.add(hashes[i]);
    if (i % 2 == 0 || i % 3 == 0) second.add(hashes[i]);
  }
  cardinality one = first;
  one.add(second);
  cardinality other = second;
  other.add(first);
  EXPECT_EQ(one, whole);
  EXPECT_EQ(other, whole);
}

TEST(cardinality, has_no_rank_above_the_highest) {
  cardinality of;
  of.add(0);
  of.add(~0ULL);
  EXPECT_EQ(of.all().front(), cardinality::highest);
  EXPECT_EQ(of.all().back(), 1);
  EXPECT_TRUE(std::isfinite(of.estimate()));
}

}  // namespace
}  // namespace scattergate::digest
