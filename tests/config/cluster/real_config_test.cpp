#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/cluster/cluster_mirror.hpp"
#include "tests/support/recorded_cluster.hpp"

// The config database of a real cluster of MongoDB 4.4, read as the live catalog reads it.
namespace scattergate::config {
namespace {

using testing::ElementsAre;
using tests::recorded_cluster;

/// The catalog read from a recorded cluster.
struct real_config {
  explicit real_config(recorded_cluster cluster) {
    load_hooks hooks{[this](auto published) { made = std::move(published); }};
    outcome =
        cluster_mirror{{.chunks = 1'000}, facts}.load(cluster, load_depth::everything, hooks);
  }

  [[nodiscard]] std::string key_of(std::string_view name) const {
    std::string text;
    for (const auto& field : made->find("shop", name)->key) {
      text += (text.empty() ? "" : ", ") + field.path + (field.hashed ? ": hashed" : ": 1");
    }
    return text;
  }

  [[nodiscard]] std::vector<std::string> owners(std::string_view name) const {
    std::vector<std::string> found;
    const routing::chunk_map& chunks = made->find("shop", name)->chunks;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      found.push_back(made->shards()[chunks.owner(i)]);
    }
    return found;
  }

  catalog_facts facts;
  load_outcome outcome;
  std::shared_ptr<const routing::catalog> made;
};

void expect_the_shop(const real_config& found) {
  EXPECT_EQ(found.made->version(), (routing::server_version{4, 4, 0}));
  EXPECT_EQ(found.facts.shards, 6U);
  EXPECT_EQ(found.facts.skipped_collections, 0U);
  EXPECT_EQ(found.facts.skipped_chunks, 0U);
  EXPECT_EQ(found.key_of("orders"), "customer: 1, _id: 1");
  EXPECT_EQ(found.key_of("events"), "device: hashed");
  EXPECT_EQ(found.key_of("visits"), "site: 1, visitor: hashed");
  ASSERT_NE(found.made->find("shop", "recent"), nullptr);
  EXPECT_EQ(found.made->find("shop", "recent")->view_on, "orders");
}

TEST(real_config, of_the_repository_is_read_whole) {
  const real_config found{recorded_cluster{tests::real_facts()}};
  expect_the_shop(found);
  EXPECT_EQ(found.key_of("names"), "name: 1");
  EXPECT_THAT(found.owners("orders"), ElementsAre("s0", "s1", "s2", "s3", "s4"));
  EXPECT_THAT(found.owners("visits"), ElementsAre("s0"));
  EXPECT_EQ(found.owners("events").size(), 12U);
}

/// config.json has the first 80 of the 1,024 chunks of config.system.sessions and no others, so
/// that there they contradict each other; the other file has all.
TEST(real_config, all_that_was_recorded_is_read) {
  const auto folder = tests::real_records();
  if (!folder) GTEST_SKIP() << "the records aren't here";
  const real_config keys{recorded_cluster{*folder}};
  expect_the_shop(keys);
  EXPECT_EQ(keys.made->collections().size(), 6U);
  EXPECT_EQ(keys.outcome.result, load_result::inconsistent);

  const real_config traffic{
      recorded_cluster{*folder / "traffic-config.json", *folder / "replies.json"}};
  expect_the_shop(traffic);
  EXPECT_EQ(traffic.outcome.result, load_result::changed) << traffic.outcome.detail;
  EXPECT_THAT(traffic.owners("orders"), ElementsAre("s0", "s1", "s2", "s3", "s4"));
}

}  // namespace
}  // namespace scattergate::config
