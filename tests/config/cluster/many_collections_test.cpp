// A cluster of more collections than one question asks about.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/cluster/cluster_mirror.hpp"
#include "tests/config/cluster/fake_cluster.hpp"
#include "tests/support/sanitizer.hpp"

namespace scattergate::config {
namespace {

using testing::Contains;
using testing::IsEmpty;
using tests::fake_cluster;

constexpr int collections = tests::has_sanitizer ? 800 : 1'200;
constexpr std::size_t asked_together = 500;  // about news
constexpr std::size_t turns = (collections + asked_together - 1) / asked_together;
constexpr auto lowest = R"({"$minKey": 1})";
constexpr auto highest = R"({"$maxKey": 1})";

/// "0007", so that names are in the order of their numbers.
std::string digits(int number) {
  const std::string text = std::to_string(number);
  return std::string(4 - text.size(), '0') + text;
}

std::string uuid_of(int number) {
  return R"({"$binary": {"base64": "AAAAAAAAAAAAAAAA)" + digits(number) +
         R"(AA==", "subType": "04"}})";
}

class many_collections : public testing::TestWithParam<const char*> {
 protected:
  many_collections() {
    const bool by_uuid = std::string_view{GetParam()} >= "5.0";
    for (int i = 0; i < collections; ++i) {
      const std::string at = R"(, "timestamp": {"$timestamp": {"t": 5, "i": 5}})";
      cluster.content["collections"].push_back(R"({"_id": "shop.c)" + digits(i) +
                                               R"(", "key": {"a": 1}, "uuid": )" + uuid_of(i) +
                                               (by_uuid ? at : "") + "}");
      add_chunk(i, lowest, highest, "one", 1, 0);
    }
    cluster.content["shards"] = {R"({"_id": "one"})", R"({"_id": "two"})"};
  }

  void add_chunk(int of, const std::string& min, const std::string& max, const char* shard,
                 int major, int minor) {
    const bool by_uuid = std::string_view{GetParam()} >= "5.0";
    cluster.content["chunks"].push_back(
        "{" + (by_uuid ? R"("uuid": )" + uuid_of(of) : R"("ns": "shop.c)" + digits(of) + '"') +
        R"(, "min": {"a": )" + min + R"(}, "max": {"a": )" + max + R"(}, "shard": ")" + shard +
        R"(", "lastmod": {"$timestamp": {"t": )" + std::to_string(major) + R"(, "i": )" +
        std::to_string(minor) + "}}}");
  }

  /// The whole collection, by another router.
  void move(int number, const char* to) {
    auto& chunks = cluster.content["chunks"];
    chunks[static_cast<std::size_t>(number)].clear();
    add_chunk(number, lowest, highest, to, 2, 0);
    std::swap(chunks[static_cast<std::size_t>(number)], chunks.back());
    chunks.pop_back();
  }

  load_outcome load(load_depth depth = load_depth::chunks) {
    cluster.finds.clear();
    return mirror.load(cluster, depth, hooks);
  }
  [[nodiscard]] const routing::collection& entry(int number) const {
    return *now->find("shop", "c" + digits(number));
  }
  [[nodiscard]] std::string owner(int number) const {
    return now->shards()[entry(number).chunks.owner(0)];
  }
  [[nodiscard]] std::size_t questions() const {
    return static_cast<std::size_t>(std::ranges::count(cluster.finds, "chunks"));
  }

  fake_cluster cluster;
  catalog_facts facts;
  cluster_mirror mirror{{.chunks = 100'000}, facts};
  std::shared_ptr<const routing::catalog> now;
  load_hooks hooks{[this](auto made) { now = std::move(made); }};
};

INSTANTIATE_TEST_SUITE_P(formats, many_collections, testing::Values("4.4", "8.0"),
                         [](const auto& named) {
                           return named.param == std::string_view{"4.4"} ? "by_name"
                                                                         : "by_uuid";
                         });

TEST_P(many_collections, are_read_by_the_hundred) {
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(owner(collections - 1), "one");
  EXPECT_EQ(questions(), collections / 200);
  EXPECT_EQ(load(load_depth::everything).result, load_result::changed);
  EXPECT_EQ(questions(), collections / 200);
}

TEST_P(many_collections, a_chunk_that_moves_in_one_that_is_used_is_seen_by_the_next_load) {
  EXPECT_EQ(load().result, load_result::changed);
  entry(collections - 1).note_use();
  move(collections - 1, "two");
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(owner(collections - 1), "two");
  // The used and some of the others; then the one that has changed.
  EXPECT_EQ(questions(), 2 + 1U);
}

TEST_P(many_collections, all_are_current_where_all_are_used) {
  EXPECT_EQ(load().result, load_result::changed);
  for (int i = 0; i < collections; ++i) entry(i).note_use();
  for (const int each : {0, 600, collections - 1}) move(each, "two");
  EXPECT_EQ(load().result, load_result::changed);
  for (const int each : {0, 600, collections - 1}) EXPECT_EQ(owner(each), "two") << each;
  EXPECT_EQ(questions(), turns + 3);  // about news, and about each that moved
  EXPECT_EQ(load().result, load_result::unchanged);
  EXPECT_EQ(questions(), turns);
}

TEST_P(many_collections, a_use_counts_whichever_catalog_it_was_judged_by) {
  EXPECT_EQ(load().result, load_result::changed);
  const auto before = now;
  EXPECT_EQ(load(load_depth::everything).result, load_result::changed);
  ASSERT_NE(now, before);
  before->find("shop", "c" + digits(collections - 1))->note_use();
  move(collections - 1, "two");
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(owner(collections - 1), "two");
}

TEST_P(many_collections, those_that_no_one_uses_are_looked_at_by_turns) {
  EXPECT_EQ(load().result, load_result::changed);
  move(collections - 1, "two");
  for (std::size_t i = 0; i + 1 < turns; ++i) {
    EXPECT_EQ(load().result, load_result::unchanged);
    EXPECT_EQ(questions(), 1U);
  }
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(owner(collections - 1), "two");
}

TEST_P(many_collections, a_use_of_long_ago_is_none) {
  EXPECT_EQ(load().result, load_result::changed);
  entry(collections - 1).note_use();
  hooks.stays_in_use = std::chrono::nanoseconds{0};
  move(collections - 1, "two");
  EXPECT_EQ(load().result, load_result::unchanged);
}

TEST_P(many_collections, beyond_the_cap_the_used_have_their_chunks) {
  cluster_mirror small{{.chunks = 3}, facts};
  hooks.publish = [this](auto made) {
    now = std::move(made);
    entry(collections - 1).note_use();
    entry(700).note_use();
  };
  EXPECT_EQ(small.load(cluster, load_depth::chunks, hooks).result, load_result::changed);
  EXPECT_FALSE(entry(collections - 1).chunks.is_empty());
  EXPECT_FALSE(entry(700).chunks.is_empty());
  EXPECT_FALSE(entry(0).chunks.is_empty());
  EXPECT_TRUE(entry(1).chunks.is_empty());
  EXPECT_EQ(facts.key_only[static_cast<std::size_t>(key_only_reason::max_chunks)],
            collections - 3U);
}

TEST_P(many_collections, one_without_all_its_chunks_is_not_the_others_trouble) {
  move(700, "two");
  cluster.content["chunks"].erase(cluster.content["chunks"].begin() + 700);
  const auto outcome = load();
  EXPECT_EQ(outcome.result, load_result::inconsistent);
  EXPECT_THAT(outcome.notes, Contains(testing::HasSubstr("shop.c0700")));
  EXPECT_TRUE(entry(700).chunks.is_empty());
  EXPECT_EQ(owner(699), "one");
  EXPECT_EQ(owner(701), "one");
}

TEST_P(many_collections, a_server_that_heeds_no_filter_is_understood) {
  cluster.heeds_filters = false;
  EXPECT_EQ(load().result, load_result::changed);
  entry(collections - 1).note_use();
  move(collections - 1, "two");
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(owner(collections - 1), "two");
  EXPECT_EQ(load().result, load_result::unchanged);
}

}  // namespace
}  // namespace scattergate::config
