#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "tests/support/plain_matcher.hpp"
#include "tests/support/random_world.hpp"

/// For any shard key, chunk layout, documents and filter: every shard that holds a matching
/// document is in the predicted fan-out; and how far the prediction goes beyond that.
namespace scattergate::routing_tests {
namespace {

constexpr std::size_t worlds = 250;
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

void judge(const std::string& filter, const std::shared_ptr<const routing::catalog>& entries,
           const std::vector<placed_document>& documents, tally& counts) {
  const judged found{entries, R"({"find": "c", "filter": )" + filter + "}"};
  ASSERT_TRUE(found.verdict().fanout.has_value()) << found.why();
  const std::vector<std::byte> bytes = bson_of(filter);
  const auto view = wire::document_view::from(bytes).value();
  std::vector<bool> needed(entries->shards().size());
  for (const placed_document& document : documents) {
    if (tests::matches(view, document.view())) needed[document.shard] = true;
  }
  const auto needs = static_cast<std::size_t>(std::ranges::count(needed, true));
  for (std::size_t shard = 0; shard < needed.size(); ++shard) {
    EXPECT_TRUE(!needed[shard] || found.verdict().fanout->contains(shard))
        << "shard " << entries->shards()[shard] << " holds a match, but " << found.where();
  }
  const std::size_t predicted = found.verdict().fanout->size();
  ++counts.filters;
  counts.predicted += predicted;
  counts.needed += std::max<std::size_t>(needs, 1);  // mongos always asks one
  if (predicted > std::max<std::size_t>(needs, 1)) ++counts.loose_filters;
}

TEST(soundness, no_shard_with_a_match_is_left_out) {
  tally counts;
  const std::uint32_t start = first_seed();
  for (std::uint32_t seed = start; seed < start + worlds; ++seed) {
    tests::random_world world{seed};
    const auto entries = catalog_of(world.catalog_json());
    const std::vector<placed_document> documents = place(world, entries);
    for (std::size_t i = 0; i < filters_per_world; ++i) {
      const std::string filter = world.filter();
      SCOPED_TRACE("SCATTERGATE_SEED=" + std::to_string(seed) + " " + world.catalog_json() +
                   "\n" + filter);
      judge(filter, entries, documents, counts);
      if (testing::Test::HasFailure()) return;
    }
  }
  std::cout << "seeds " << start << ".." << start + worlds - 1 << ": " << counts.filters
            << " filters, " << counts.predicted << " shards predicted, " << counts.needed
            << " needed; " << counts.loose_filters << " filters reach further than needed\n";
  EXPECT_EQ(counts.filters, worlds * filters_per_world);
  // What remains: excluded ends that count (SERVER-4791), ranges before later fields of a
  // compound key, hashed fields under anything but equality, fields outside the key.
  EXPECT_LT(counts.predicted, counts.needed * 3 / 2);
}

}  // namespace
}  // namespace scattergate::routing_tests
