#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/cluster/fake_cluster.hpp"

namespace scattergate::config {
namespace {

using testing::HasSubstr;
using tests::fake_cluster;

constexpr std::size_t room = 100'000;

/// A mirror with little room, before a cluster that has more than fits into it.
class mirror_bounds_test : public testing::Test {
 protected:
  load_outcome load(load_depth depth = load_depth::thorough) {
    return mirror.load(cluster, depth, hooks);
  }
  void add_many(const std::string& collection, const std::string& before,
                const std::string& after) {
    for (int i = 0; i < 1'000; ++i) {
      cluster.content[collection].push_back(before + std::to_string(i) + after);
    }
  }

  fake_cluster cluster{tests::cluster_of("8.0")};
  catalog_facts facts;
  cluster_mirror mirror{{.chunks = 1'000, .bytes = room}, facts};
  std::vector<std::shared_ptr<const routing::catalog>> published;
  load_hooks hooks{[this](auto made) { published.push_back(std::move(made)); }};
};

TEST_F(mirror_bounds_test, fail_a_load_and_keep_what_was_there) {
  const std::string long_name(500, 'n');
  const struct {
    const char* collection;
    std::string before;
    std::string after;
  } cases[] = {
      {"collections", R"({"_id": "shop.c)", R"(", "key": {"a": 1}})"},
      {"collections", R"({"_id": "shop.c)", R"(", "key": {"a": "no key"}})"},
      {"collections", R"({"_id": "no name)", R"("})"},
      {"shards", R"({"_id": ")" + long_name, R"(", "host": "h"})"},
      {"databases", R"({"_id": ")" + long_name, R"(", "primary": "shard1"})"},
  };
  ASSERT_EQ(load().result, load_result::changed);
  const auto before = published.back();
  const auto good = cluster.content;
  for (const auto& [collection, head, tail] : cases) {
    cluster.content = good;
    add_many(collection, head, tail);
    const auto outcome = load();
    EXPECT_EQ(outcome.result, load_result::failed) << head;
    EXPECT_THAT(outcome.detail, HasSubstr(std::string{"config."} + collection));
    EXPECT_THAT(outcome.detail, HasSubstr(std::to_string(room)));
    EXPECT_EQ(published.back(), before);
  }
  cluster.content = good;
  EXPECT_EQ(load().result, load_result::unchanged);
}

TEST_F(mirror_bounds_test, fail_a_load_for_one_large_record) {
  cluster.content["collections"] = {R"({"_id": "shop.c", "key": {")" + std::string(room, 'k') +
                                    R"(": 1}})"};
  EXPECT_THAT(load().detail, HasSubstr("config.collections"));
}

TEST_F(mirror_bounds_test, leave_chunks_unknown_that_do_not_fit) {
  const std::string large(room, 'x');
  for (std::string& chunk : cluster.content["chunks"]) {
    const auto at = chunk.find("shard1");
    if (at != chunk.npos) chunk.replace(at, 6, large);
  }
  const auto outcome = load();
  EXPECT_EQ(outcome.result, load_result::changed) << outcome.detail;
  EXPECT_THAT(outcome.notes, testing::Contains(HasSubstr("share of limits.memory")));
  EXPECT_GT(facts.key_only[static_cast<std::size_t>(key_only_reason::max_chunks)], 0U);
  EXPECT_TRUE(published.back()->find("shop", "orders")->is_sharded());
}

TEST_F(mirror_bounds_test, hold_for_views) {
  cluster.views["shop"].clear();
  for (int i = 0; i < 1'000; ++i) {
    cluster.views["shop"].push_back(R"({"name": "v)" + std::to_string(i) +
                                    R"(", "type": "view", "options": {"viewOn": "orders",
                                        "pipeline": []}})");
  }
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_LT(published.back()->collections().size(), 100U);
}

}  // namespace
}  // namespace scattergate::config
