#include <map>

#include <gtest/gtest.h>

#include "digest/sketches/collection_sketches.hpp"
#include "tests/digest/sketches/sketch_streams.hpp"

namespace scattergate::digest {
namespace {

using sketch = common_values<40>;
using exact_counts = std::map<std::uint32_t, std::uint64_t>;

std::uint32_t mark_of(std::uint64_t value) {
  return static_cast<std::uint32_t>(hash_of(value) >> 32U);
}

/// The promises of space-saving: bounds for each listed value, and a place for each common one.
void check(const sketch& of, const exact_counts& exact) {
  std::uint64_t all = 0;
  for (const auto& [hash_prefix, count] : exact) all += count;
  ASSERT_EQ(of.total(), all);
  std::map<std::uint32_t, common_value> listed;
  for (const common_value& each : of.ranked()) {
    const auto found = exact.find(each.hash_prefix);
    ASSERT_NE(found, exact.end());
    EXPECT_GE(each.count, found->second);
    EXPECT_LE(each.at_least(), found->second);
    EXPECT_LE(each.error * sketch::capacity, all);
    listed[each.hash_prefix] = each;
  }
  for (const auto& [hash_prefix, count] : exact) {
    EXPECT_TRUE(count * sketch::capacity <= all || listed.contains(hash_prefix)) << count;
  }
}

TEST(common_values, keep_their_bounds_for_any_skew) {
  for (const double s : {0.0, 0.5, 0.8, 1.0, 1.5, 3.0}) {
    for (const std::size_t values : {3U, 40U, 41U, 1'000U, 100'000U}) {
      sketch of;
      exact_counts exact;
      for (const std::uint64_t value : zipf(30'000, values, s)) {
        of.add(hash_of(value));
        ++exact[mark_of(value)];
      }
      check(of, exact);
    }
  }
}

TEST(common_values, keep_their_bounds_with_weights) {
  sketch of;
  exact_counts exact;
  std::uint64_t weight = 1;
  for (const std::uint64_t value : zipf(20'000, 2'000, 1)) {
    of.add(hash_of(value), weight);
    exact[mark_of(value)] += weight;
    weight = weight % 7 + 1;
  }
  check(of, exact);
}

TEST(common_values, keep_their_bounds_when_merged) {
  exact_counts exact;
  sketch all;
  for (unsigned part = 0; part < 5; ++part) {
    sketch of;
    for (std::uint64_t value : zipf(10'000, 3'000, 1.1, part)) {
      if (value > 10) value += part * 1'000;
      of.add(hash_of(value));
      ++exact[mark_of(value)];
    }
    all.add(of);
  }
  check(all, exact);
}

TEST(common_values, are_exact_while_there_is_room) {
  sketch of;
  for (const std::uint64_t value : zipf(5'000, 40, 1)) of.add(hash_of(value));
  for (const common_value& each : of.ranked()) EXPECT_EQ(each.error, 0U);
  sketch other;
  other.add(hash_of(7), 1'000'000);
  of.add(other);
  EXPECT_EQ(of.ranked().front(), (common_value{mark_of(7), of.ranked().front().count, 0}));
  EXPECT_EQ(of.most(), of.ranked().front().count);
  of.clear();
  EXPECT_EQ(of.total(), 0U);
  EXPECT_EQ(of.most(), 0U);
  EXPECT_TRUE(of.ranked().empty());
}

TEST(common_values, are_restored_as_they_were) {
  sketch of;
  for (const std::uint64_t value : zipf(9'000, 1'000, 1)) of.add(hash_of(value));
  sketch again;
  again.restore(of.ranked(), of.total());
  EXPECT_EQ(again.ranked(), of.ranked());
  EXPECT_EQ(again.total(), of.total());
  // And continue in the same way.
  exact_counts exact;
  for (const std::uint64_t value : zipf(9'000, 1'000, 1)) ++exact[mark_of(value)];
  for (const std::uint64_t value : zipf(9'000, 500, 1, 2)) {
    again.add(hash_of(value));
    ++exact[mark_of(value)];
  }
  check(again, exact);
}

}  // namespace
}  // namespace scattergate::digest
