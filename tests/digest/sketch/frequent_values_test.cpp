#include "digest/sketch/frequent_values.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::digest {
namespace {

/// A stream of hashes: some few of them often.
std::vector<std::uint64_t> skewed(std::size_t count, double skew, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> from_0_to_1;
  std::vector<std::uint64_t> stream(count);
  for (auto& each : stream) {
    const double rank = std::floor(std::pow(from_0_to_1(random), -1 / skew));
    each = static_cast<std::uint64_t>(std::min(rank, 1e12)) * 0x9e3779b97f4a7c15U;
  }
  return stream;
}

using exact_counts = std::map<std::uint64_t, std::uint64_t>;

void count(const std::vector<std::uint64_t>& stream, frequent_values& in,
           exact_counts& exactly) {
  for (const auto each : stream) {
    in.add(each);
    ++exactly[each];
  }
}

/// Whether the bounds that it states hold.
void expect_bounds(const frequent_values& of, const exact_counts& exactly) {
  std::set<std::uint64_t> seen;
  for (const frequent_value& one : of.all()) {
    const auto found = exactly.find(one.hash);
    const std::uint64_t count = found == exactly.end() ? 0 : found->second;
    EXPECT_LE(one.at_least(), count);
    EXPECT_GE(one.count, count);
    EXPECT_TRUE(seen.insert(one.hash).second);
  }
  for (const auto& [hash, count] : exactly) {
    if (seen.contains(hash)) continue;
    EXPECT_LE(count, of.floor());
  }
}

auto content_of(const frequent_values& of) {
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> all;
  for (const auto& one : of.all()) all.insert({one.hash, one.count, one.error});
  return std::pair{all, of.floor()};
}

TEST(frequent_values, are_exact_while_they_all_have_room) {
  frequent_values of;
  for (std::uint64_t i = 0; i < frequent_values::capacity * 7; ++i)
    of.add(i % frequent_values::capacity);
  for (const frequent_value& one : of.all()) EXPECT_EQ(one, (frequent_value{one.hash, 7, 0}));
  EXPECT_EQ(of.all().size(), frequent_values::capacity);
  EXPECT_EQ(of.floor(), 0U);
  EXPECT_EQ(of.most(), 7U);
}

TEST(frequent_values, keep_their_bounds_whatever_comes) {
  for (const double skew : {0.3, 0.8, 1.2, 2.0}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      frequent_values of;
      exact_counts exactly;
      count(skewed(20'000, skew, seed), of, exactly);
      expect_bounds(of, exactly);
      EXPECT_LE(of.floor(), 20'000 / frequent_values::capacity);
    }
  }
}

TEST(frequent_values, of_parts_keep_their_bounds_and_commute) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<frequent_values> parts(8);
    exact_counts exactly;
    for (std::size_t i = 0; i != parts.size(); ++i) {
      count(skewed(3'000, 0.7 + 0.1 * static_cast<double>(i), seed * 100 + i), parts[i],
            exactly);
    }
    frequent_values one = parts[0];
    one.add(parts[1]);
    frequent_values other = parts[1];
    other.add(parts[0]);
    EXPECT_EQ(content_of(one), content_of(other));
    frequent_values all;
    for (const auto& part : parts) all.add(part);
    expect_bounds(all, exactly);
    // And go on counting after that.
    count(skewed(3'000, 1.0, seed + 7), all, exactly);
    expect_bounds(all, exactly);
    EXPECT_LE(all.floor(), 27'000 * 2 / frequent_values::capacity);
  }
}

}  // namespace
}  // namespace scattergate::digest
