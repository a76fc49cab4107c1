#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/collection_advisor.hpp"

namespace scattergate::advise {
namespace {

using routing::server_version;

/// The commands' names, without those that prepare them.
std::string steps(const std::optional<shard_key>& present, const shard_key& key,
                  server_version version, bool is_safe = true) {
  std::string made;
  for (const std::string& line : next_steps("db.c", present, key, version, is_safe)) {
    for (const std::string name : {"analyzeShardKey", "refineCollectionShardKey",
                                   "reshardCollection", "shardCollection", "createIndex"}) {
      const bool is_there =
          line.find("{" + name) != line.npos || line.find("." + name) != line.npos;
      if (is_there) made += (made.empty() ? "" : " ") + name;
    }
  }
  return made;
}

struct version_case {
  const char* what;
  server_version version;
  const char* refined;
  const char* other;
  const char* unsharded;
};

class next_step : public testing::TestWithParam<version_case> {};

TEST_P(next_step, exists_in_the_version) {
  const auto& [what, version, refined, other, unsharded] = GetParam();
  const shard_key present{{"a"}};
  EXPECT_EQ(steps(present, {{"a"}, {"b"}}, version), refined);
  EXPECT_EQ(steps(present, {{"b"}}, version), other);
  EXPECT_EQ(steps(std::nullopt, {{"b"}}, version), unsharded);
}

/// analyzeShardKey: new in 7.0; reshardCollection: 5.0; refineCollectionShardKey: 4.4.
INSTANTIATE_TEST_SUITE_P(
    versions, next_step,
    testing::Values(version_case{"v8_0",
                                 {8, 0},
                                 "analyzeShardKey createIndex refineCollectionShardKey",
                                 "analyzeShardKey reshardCollection",
                                 "analyzeShardKey createIndex shardCollection"},
                    version_case{"v7_0_2",
                                 {7, 0, 2},
                                 "analyzeShardKey createIndex refineCollectionShardKey",
                                 "analyzeShardKey reshardCollection",
                                 "analyzeShardKey createIndex shardCollection"},
                    version_case{"v6_0",
                                 {6, 0},
                                 "createIndex refineCollectionShardKey",
                                 "reshardCollection",
                                 "createIndex shardCollection"},
                    version_case{"v4_4",
                                 {4, 4},
                                 "createIndex refineCollectionShardKey",
                                 "",
                                 "createIndex shardCollection"},
                    version_case{"v4_2", {4, 2}, "", "", "createIndex shardCollection"}),
    [](const auto& of) { return of.param.what; });

TEST(next_steps, of_the_present_key_is_only_to_measure_it) {
  EXPECT_EQ(steps(shard_key{{"a"}}, {{"a"}}, {8, 0}), "analyzeShardKey");
  EXPECT_EQ(steps(shard_key{{"a"}}, {{"a"}}, {6, 0}), "");
}

TEST(next_steps, of_a_key_that_isn_t_safe_are_only_to_measure_it) {
  EXPECT_EQ(steps(shard_key{{"a"}}, {{"a"}, {"b"}}, {8, 0}, false), "analyzeShardKey");
  EXPECT_EQ(steps(std::nullopt, {{"a"}}, {6, 0}, false), "");
}

TEST(next_steps, quote_what_isn_t_a_plain_name) {
  EXPECT_THAT(
      next_steps("db.a\"b", shard_key{{"a"}}, {{"x.y", true}}, {6, 0}, true),
      testing::ElementsAre(
          R"(db.adminCommand({reshardCollection: "db.a\"b", key: {"x.y": "hashed"}}))"));
}

}  // namespace
}  // namespace scattergate::advise
