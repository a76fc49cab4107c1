#include "routing/catalog/chunk_map.hpp"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "routing/catalog/catalog.hpp"
#include "tests/routing/value_support.hpp"
#include "tests/support/allocation_counter.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;

constexpr std::string_view min_key = R"({"$minKey": 1})";
constexpr std::string_view max_key = R"({"$maxKey": 1})";

/// A collection keyed {a: 1} whose chunks are cut at `cuts`; owners[i] is "s<n>".
struct world {
  std::vector<int> cuts;
  std::vector<std::size_t> owners;  // one more than cuts
  std::shared_ptr<const catalog> snapshot;

  [[nodiscard]] const chunk_map& chunks() const { return snapshot->collections()[0].chunks; }
};

std::string shard_name(std::size_t shard) {
  std::string digits = std::to_string(shard);
  return "s" + std::string(3 - digits.size(), '0') + digits;
}

/// Shards are named by every number below `shards`, so that a number is its position.
world build_world(std::vector<int> cuts, std::vector<std::size_t> owners) {
  catalog_builder builder;
  collection entry;
  entry.database = "db";
  entry.name = "c";
  entry.key = {{"a", false}};
  EXPECT_EQ(builder.add(entry), std::nullopt);
  const auto bound = [&](std::size_t i) {
    std::string value = i == 0 ? std::string{min_key} : std::string{max_key};
    if (i > 0 && i <= cuts.size()) value = std::to_string(cuts[i - 1]);
    return tests::json_document{"{\"a\": " + value + "}"};
  };
  for (std::size_t i = 0; i != owners.size(); ++i) {
    EXPECT_EQ(builder.add_chunk(bound(i).view(), bound(i + 1).view(), shard_name(owners[i])),
              std::nullopt);
  }
  EXPECT_EQ(builder.finish_collection(), std::nullopt);
  return {std::move(cuts), std::move(owners), builder.build()};
}

bytes number(int value) {
  return encoded(std::to_string(value));
}

std::set<std::string> owners_between(const world& in, bytes_view low, bytes_view high) {
  std::vector<std::uint64_t> words(in.snapshot->shard_words());
  shard_set set{words};
  in.chunks().add_owners(low, high, set);
  std::set<std::string> names;
  for (std::size_t i = 0; i != in.snapshot->shards().size(); ++i) {
    if (set.contains(i)) names.insert(in.snapshot->shards()[i]);
  }
  return names;
}

/// A scan over all chunks: [low, high] overlaps [cut, next cut) unless it is outside.
std::set<std::string> scanned_owners(const world& in, int low, int high) {
  std::set<std::string> names;
  for (std::size_t i = 0; i != in.owners.size(); ++i) {
    const bool starts_above = i > 0 && in.cuts[i - 1] > high;
    const bool ends_below = i < in.cuts.size() && in.cuts[i] <= low;
    if (!starts_above && !ends_below) names.insert(shard_name(in.owners[i]));
  }
  return names;
}

TEST(chunk_map, finds_the_chunk_that_holds_a_key) {
  const world one = build_world({10, 20}, {0, 1, 2});
  const std::pair<bytes, std::size_t> cases[] = {
      {encoded(min_key), 0},     {number(-5), 0},       {number(9), 0},
      {number(10), 1},           {number(19), 1},       {number(20), 2},
      {encoded(R"("text")"), 2}, {encoded(max_key), 2},
  };
  for (const auto& [key, chunk] : cases)
    EXPECT_EQ(one.chunks().chunk_of(key), chunk) << hex(key);
}

TEST(chunk_map, counts_both_ends_of_a_range_in) {
  const world one = build_world({10, 20}, {0, 1, 2});
  using names = std::set<std::string>;
  EXPECT_EQ(owners_between(one, number(5), number(9)), names{"s000"});
  EXPECT_EQ(owners_between(one, number(5), number(10)), (names{"s000", "s001"}));
  EXPECT_EQ(owners_between(one, number(10), number(10)), names{"s001"});
  EXPECT_EQ(owners_between(one, encoded(min_key), encoded(max_key)),
            (names{"s000", "s001", "s002"}));
  EXPECT_EQ(owners_between(one, encoded(max_key), encoded(max_key)), names{"s002"});
  EXPECT_EQ(owners_between(one, number(20), number(10)), names{});
}

TEST(chunk_map, without_chunks_knows_no_owner) {
  const chunk_map none;
  std::vector<std::uint64_t> words(1);
  shard_set set{words};
  none.add_owners(encoded_min_key(), encoded_max_key(), set);
  EXPECT_EQ(set.size(), 0U);
  EXPECT_TRUE(none.is_empty());
  EXPECT_EQ(none.owner_count(), 0U);
}

TEST(chunk_map, counts_the_shards_that_own_chunks) {
  const world one = build_world({10, 20, 30}, {1, 0, 1, 1});
  EXPECT_EQ(one.chunks().owner_count(), 2U);
  EXPECT_EQ(one.chunks().size(), 4U);
}

TEST(chunk_map, agrees_with_a_scan_over_all_chunks) {
  constexpr std::uint64_t seed = 4791;
  std::mt19937_64 random{seed};
  for (int round = 0; round != 60; ++round) {
    const std::size_t shards = 1 + random() % 70;
    std::set<int> cuts;
    for (std::size_t i = random() % 200; i > 0; --i)
      cuts.insert(static_cast<int>(random() % 500));
    std::vector<std::size_t> owners;
    const bool in_runs = random() % 2 == 0;  // long runs of one owner, or none
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      owners.push_back(in_runs ? i * shards / (cuts.size() + 1) : random() % shards);
    }
    const world one = build_world({cuts.begin(), cuts.end()}, owners);
    for (int probe = 0; probe != 60; ++probe) {
      const int low = static_cast<int>(random() % 520) - 10;
      const int high = low + static_cast<int>(random() % 300);
      ASSERT_EQ(owners_between(one, number(low), number(high)), scanned_owners(one, low, high))
          << "seed " << seed << " round " << round << ": " << low << " to " << high;
    }
  }
}

TEST(chunk_map, a_hundred_thousand_chunks_are_met_without_touching_the_heap) {
  constexpr int chunk_count = 100'000;
  std::vector<int> cuts;
  std::vector<std::size_t> owners{0};
  for (int i = 1; i != chunk_count; ++i) {
    cuts.push_back(i * 10);
    owners.push_back(static_cast<std::size_t>(i) % 100 == 0 ? 2
                                                            : static_cast<std::size_t>(i) % 2);
  }
  const world one = build_world(std::move(cuts), std::move(owners));
  const bytes low = number(15);
  const bytes middle = number(985);
  const bytes high = number(999'985);
  std::array<std::uint64_t, 1> words{};
  shard_set set{words};
  const tests::allocation_counter allocations;
  one.chunks().add_owners(low, middle, set);
  EXPECT_EQ(words[0], 0b011U);
  one.chunks().add_owners(low, high, set);
  EXPECT_EQ(words[0], 0b111U);
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace
}  // namespace scattergate::routing
