#include <algorithm>
#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "tests/support/plain_matcher.hpp"
#include "tests/support/random_world.hpp"
#include "tests/support/sanitizer.hpp"

/// For any shard key, chunk layout, documents and filter: every shard that holds a matching
/// document is in the predicted fan-out; and how far the prediction goes beyond that.
namespace scattergate::routing_tests {
namespace {

constexpr std::size_t worlds = tests::repetitions(250);
constexpr std::size_t filters_per_world = 20;

/// SCATTERGATE_SEED begins elsewhere, to look for more or to repeat a failure.
std::uint32_t first_seed() {
  const char* given = std::getenv("SCATTERGATE_SEED");
  return given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : 1;
}

struct placed_document {
  std::vector<std::byte> bytes;
  std::size_t shard;

  [[nodiscard]] wire::document_view view() const {
    return wire::document_view::from(bytes).value();
  }
};

std::size_t only_shard(const routing::shard_set& shards, std::size_t count) {
  for (std::size_t shard = 0; shard < count; ++shard) {
    if (shards.contains(shard)) return shard;
  }
  throw std::logic_error("an insert without a shard");
}

std::vector<placed_document> place(tests::random_world& world,
                                   const std::shared_ptr<const routing::catalog>& entries) {
  std::vector<placed_document> placed;
  for (const std::string& document : world.documents()) {
    const judged found{entries, R"({"insert": "c", "documents": [)" + document + "]}"};
    if (found.verdict().refused != routing::refusal::none) continue;
    placed.push_back({bson_of(document),
                      only_shard(found.verdict().fanout.value(), entries->shards().size())});
  }
  return placed;
}

struct tally {
  std::size_t filters = 0;
  std::size_t loose_filters = 0;
  std::size_t predicted = 0;
  std::size_t needed = 0;
};

/// The shards that hold a match, by the plain matcher.
std::vector<bool> shards_needed(const std::string& filter, std::size_t shards,
                                const std::vector<placed_document>& documents) {
  const std::vector<std::byte> bytes = bson_of(filter);
  const auto view = wire::document_view::from(bytes).value();
  std::vector<bool> needed(shards);
  for (const placed_document& document : documents) {
    if (tests::matches(view, document.view())) needed[document.shard] = true;
  }
  return needed;
}

/// Every shard needed is in the fan-out; one that isn't known may be any.
void expect_sound(const judged& found, const std::vector<bool>& needed) {
  const auto& fanout = found.verdict().fanout;
  for (std::size_t shard = 0; fanout && shard < needed.size(); ++shard) {
    EXPECT_TRUE(!needed[shard] || fanout->contains(shard))
        << "shard number " << shard << " holds a match, but " << found.where();
  }
}

void count(const judged& found, const std::vector<bool>& needed, tally& counts) {
  const auto needs = static_cast<std::size_t>(std::ranges::count(needed, true));
  const std::size_t predicted = found.verdict().fanout.value().size();
  ++counts.filters;
  counts.predicted += predicted;
  counts.needed += std::max<std::size_t>(needs, 1);  // mongos always asks one
  if (predicted > std::max<std::size_t>(needs, 1)) ++counts.loose_filters;
}

/// Calls `judge_one(command, entries, needed)` for filters over worlds from `start` on.
template <typename Judge>
void for_each_filter(std::uint32_t start, std::size_t world_count, Judge judge_one) {
  for (std::uint32_t seed = start; seed < start + world_count; ++seed) {
    tests::random_world world{seed};
    const auto entries = catalog_of(world.catalog_json());
    const std::vector<placed_document> documents = place(world, entries);
    for (std::size_t i = 0; i < filters_per_world; ++i) {
      const std::string filter = world.filter();
      SCOPED_TRACE("SCATTERGATE_SEED=" + std::to_string(seed) + " " + world.catalog_json() +
                   "\n" + filter);
      judge_one(R"({"find": "c", "filter": )" + filter + "}", entries,
                shards_needed(filter, entries->shards().size(), documents));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(soundness, no_shard_with_a_match_is_left_out) {
  tally counts;
  const std::uint32_t start = first_seed();
  for_each_filter(
      start, worlds,
      [&](const std::string& command, const auto& entries, const std::vector<bool>& needed) {
        const judged found{entries, command};
        ASSERT_TRUE(found.verdict().fanout.has_value()) << found.why();
        expect_sound(found, needed);
        count(found, needed, counts);
      });
  std::cout << "seeds " << start << ".." << start + worlds - 1 << ": " << counts.filters
            << " filters, " << counts.predicted << " shards predicted, " << counts.needed
            << " needed; " << counts.loose_filters << " filters reach further than needed\n";
  EXPECT_EQ(counts.filters, worlds * filters_per_world);
  // What remains: excluded ends that count (SERVER-4791), ranges before later fields of a
  // compound key, hashed fields under anything but equality, fields outside the key.
  EXPECT_LT(counts.predicted, counts.needed * 3 / 2);
}

TEST(soundness, holds_however_little_scratch_there_is) {
  constexpr std::size_t cramped_worlds = 40;
  for_each_filter(
      first_seed(), cramped_worlds,
      [](const std::string& command, const auto& entries, const std::vector<bool>& needed) {
        const std::string roomy = judged{entries, command}.where();
        for (const std::size_t size : {0, 16, 64, 100, 150, 200, 300, 400, 600, 900, 1500}) {
          const judged found{entries, command, size};
          expect_sound(found, needed);
          EXPECT_TRUE(found.where() == roomy || found.verdict().widened) << size << " bytes";
        }
      });
}

}  // namespace
}  // namespace scattergate::routing_tests
