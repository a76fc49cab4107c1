#include "report/compare/shape_changes.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/digest/random_table.hpp"

namespace scattergate::report {
namespace {

using routing::routing_class;
using std::chrono::milliseconds;

/// A shape's counts over an hour.
struct counted {
  std::uint64_t commands = 20;
  std::uint32_t shards = 6;
  milliseconds each{10};
  routing_class routing = routing_class::scatter_gather;
};

class shape_changes_test : public testing::Test {
 protected:
  static void count(digest::table& in, std::uint64_t hash, const counted& what,
                    const std::string& command = "find") {
    const auto [row, is_new] = in.row_of({"shop", "orders", command, hash});
    row.what.routing = what.routing;
    for (std::uint64_t i = 0; i < what.commands; ++i) {
      digest::sighting seen;
      seen.fanout = what.shards;
      seen.duration = what.each;
      seen.first = digest::wall_time{};
      seen.last = digest::wall_time{std::chrono::hours{1}};
      in.count(row, seen, what.routing);
    }
  }
  /// The change of one shape.
  static shape_change changed(const counted& from, const counted& to) {
    static digest::table before{100};
    static digest::table after{100};
    before = digest::table{100};
    after = digest::table{100};
    count(before, 1, from);
    count(after, 1, to);
    const shape_changes changes{before, after};
    for (std::size_t i = 0; i < change_count; ++i) {
      const auto& all = changes.of(static_cast<change>(i));
      if (!all.empty()) return all.front();
    }
    return {};
  }
};

constexpr aspects only(aspect which, int by) {
  aspects made{};
  made[static_cast<std::size_t>(which)] = by;
  return made;
}

TEST_F(shape_changes_test, each_aspect_makes_a_shape_worse_or_better) {
  const counted same;
  const struct {
    counted worse;
    aspects by;
  } cases[] = {
      {{31, 6, milliseconds{6}}, only(aspect::count, 1)},
      {{20, 7, milliseconds{10}}, only(aspect::fanout, 1)},
      {{20, 6, milliseconds{16}}, only(aspect::time, 1)},
  };
  for (const auto& [worse, by] : cases) {
    EXPECT_EQ(changed(same, worse).is, change::worse);
    EXPECT_EQ(changed(same, worse).by, by);
    EXPECT_EQ(changed(worse, same).is, change::better);
  }
  const counted narrowed{20, 6, milliseconds{10}, routing_class::single_shard};
  EXPECT_EQ(changed(narrowed, same).by, only(aspect::routing, 1));
  EXPECT_EQ(changed(same, narrowed).is, change::better);
}

TEST_F(shape_changes_test, little_more_is_the_same) {
  const counted same;
  EXPECT_EQ(changed(same, same).is, change::same);
  EXPECT_EQ(changed(same, {29, 6, milliseconds{7}}).is, change::same);
  EXPECT_EQ(changed({20, 30, milliseconds{10}}, {20, 32, milliseconds{10}}).is, change::same);
  EXPECT_EQ(changed({1, 6, milliseconds{1}}, {4, 6, milliseconds{2}}).is, change::same)
      << "so few say nothing";
}

TEST_F(shape_changes_test, worse_in_one_aspect_is_worse_whatever_else_is_better) {
  EXPECT_EQ(changed({}, {20, 12, milliseconds{1}}).is, change::worse);
}

TEST_F(shape_changes_test, what_can_be_no_finding_comes_last) {
  digest::table before{10};
  digest::table after{10};
  count(after, 1, {100, 6, milliseconds{100}}, "getMore");
  count(after, 2, {});
  const shape_changes changes{before, after};
  ASSERT_EQ(changes.of(change::is_new).size(), 2U);
  EXPECT_EQ(changes.of(change::is_new).front().after->command, "find");
  EXPECT_FALSE(changes.is_by_hour()) << "nothing was counted before";
}

TEST_F(shape_changes_test, every_shape_of_two_digests_is_listed_once) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const digest::table before = digest::random_table(seed);
    const digest::table after = digest::random_table(seed + 100);
    const shape_changes changes{before, after};
    const auto count_of = [&](change kind) { return changes.of(kind).size(); };
    const std::size_t in_both =
        count_of(change::worse) + count_of(change::better) + count_of(change::same);
    EXPECT_EQ(in_both + count_of(change::gone), before.size());
    EXPECT_EQ(in_both + count_of(change::is_new), after.size());
  }
}

}  // namespace
}  // namespace scattergate::report
