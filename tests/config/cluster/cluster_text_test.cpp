#include "config/cluster/cluster_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "tests/config/cluster/fake_cluster.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/json_writer.hpp"
#include "text/problem.hpp"

namespace scattergate::config {
namespace {

using testing::HasSubstr;
using testing::Not;
using tests::fake_cluster;

class cluster_text_test : public testing::TestWithParam<const char*> {
 protected:
  std::string text_of(fake_cluster& cluster) {
    const auto text = cluster_text(cluster);
    EXPECT_TRUE(text) << text.error().text;
    return text ? *text : std::string{};
  }

  /// The catalog that a file of this text gives.
  std::shared_ptr<const routing::catalog> read(const std::string& text) {
    const loaded_catalog loaded = load_catalog(folder.write("catalog.yaml", text));
    for (const text::problem& one : loaded.problems)
      ADD_FAILURE() << to_string(one) << "\n" << text;
    return loaded.value;
  }

  test::temporary_folder folder;
};

INSTANTIATE_TEST_SUITE_P(formats, cluster_text_test,
                         testing::Values("4.4", "5.0", "6.0", "7.0", "8.0", "8.2"));

TEST_P(cluster_text_test, gives_the_catalog_that_is_followed_live) {
  fake_cluster cluster{tests::cluster_of(GetParam())};
  cluster.views["shop"] = {R"({"name": "recent", "type": "view", "options": {
      "viewOn": "orders", "pipeline": [{"$match": {"at": {"$date": {"$numberLong": "7"}}}},
      {"$sort": {"a": 1}}], "collation": {"locale": "de"}}})"};
  const auto printed = read(text_of(cluster));
  ASSERT_TRUE(printed);
  std::shared_ptr<const routing::catalog> live;
  catalog_facts facts;
  cluster_mirror mirror{{.chunks = 1000}, facts};
  load_hooks hooks{[&](auto made) { live = std::move(made); }};
  ASSERT_EQ(mirror.load(cluster, load_depth::thorough, hooks).result, load_result::changed);
  EXPECT_EQ(printed->version(), live->version());
  ASSERT_EQ(printed->collections().size(), live->collections().size());
  for (const routing::collection& one : live->collections()) {
    const routing::collection* other = printed->find(one.database, one.name);
    ASSERT_NE(other, nullptr) << one.full_name();
    EXPECT_EQ(other->key.size(), one.key.size());
    EXPECT_EQ(other->hashed_field, one.hashed_field);
    EXPECT_EQ(other->unique, one.unique);
    EXPECT_EQ(other->is_time_series, one.is_time_series);
    EXPECT_EQ(other->series, one.series);
    EXPECT_EQ(other->simple_collation, one.simple_collation);
    EXPECT_EQ(other->view_on, one.view_on);
    EXPECT_EQ(other->view_pipeline, one.view_pipeline);
    ASSERT_EQ(other->chunks.size(), one.chunks.size()) << one.full_name();
    for (std::size_t i = 0; i < one.chunks.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(other->chunks.minimum(i), one.chunks.minimum(i)));
      EXPECT_EQ(printed->shards()[other->chunks.owner(i)], live->shards()[one.chunks.owner(i)]);
    }
  }
}

/// Each ends a line for a YAML reader, or moves a terminal's cursor.
TEST_F(cluster_text_test, keeps_names_within_their_lines) {
  constexpr const char* unseen[] = {"\n",     "\r",     "\u0085", "\u009b",
                                    "\u2028", "\u2029", "\u202e", "\x7f"};
  for (const std::string mark : unseen) {
    auto texts = tests::cluster_of("8.0");
    const auto odd = [&](const std::string& name) {
      std::string quoted;
      text::append_json_string(quoted, name + mark + "- forged: 1");
      return quoted;
    };
    texts.shards.push_back(R"({"_id": )" + odd("s") + R"(, "host": )" + odd("h") + "}");
    texts.databases.push_back(R"({"_id": )" + odd("d") + R"(, "primary": )" + odd("s") + "}");
    fake_cluster cluster{texts};
    cluster.views["shop"] = {R"({"name": )" + odd("v") +
                             R"(, "type": "view", "options": {"viewOn": "orders",
                                "pipeline": [{"$match": {"a": )" +
                             odd("x") + "}}]}}"};
    const std::string text = text_of(cluster);
    EXPECT_THAT(text, HasSubstr("forged"));
    EXPECT_THAT(text, Not(HasSubstr(mark + "- forged")));
    const auto printed = read(text);
    ASSERT_TRUE(printed);
    EXPECT_NE(printed->find("shop", "v" + mark + "- forged: 1"), nullptr);
  }
}

TEST_F(cluster_text_test, says_what_it_leaves_out) {
  auto texts = tests::cluster_of("8.0");
  texts.chunks.erase(texts.chunks.begin());
  texts.collections.push_back(R"({"_id": "shop.odd", "key": {"a": "spiral"}})");
  texts.collections.push_back(R"({"_id": 5})");
  fake_cluster cluster{texts};
  cluster.views["shop"] = {R"({"name": "v", "type": "view", "options": {"viewOn": "orders"}})"};
  const std::string text = text_of(cluster);
  EXPECT_THAT(text,
              HasSubstr("- namespace: \"shop.odd\"\n    shardKey: null  # unknown: \"its key"));
  EXPECT_THAT(text,
              HasSubstr("- namespace: \"shop.v\"\n    viewOn: null  # unknown: \"its pipe"));
  EXPECT_THAT(text, HasSubstr("# omitted: \"a record's _id"));
  EXPECT_THAT(text, HasSubstr("its chunks are omitted"));
  EXPECT_THAT(text, HasSubstr("# shard \"shard1\" is \"shard1/h1:27018,h2:27018\""));
  EXPECT_THAT(text, HasSubstr("# database \"shop\" has the primary shard \"shard2\""));
  ASSERT_TRUE(read(text));
}

TEST_F(cluster_text_test, says_whose_views_it_could_not_list) {
  fake_cluster cluster{tests::cluster_of("8.0")};
  cluster.list_errors["shop"] = {mongo_failure::unauthorized, 13, "not authorized"};
  EXPECT_THAT(text_of(cluster), HasSubstr("# the views of \"shop\" can't be listed"));
}

TEST_F(cluster_text_test, survives_names_that_yaml_could_mistake) {
  fake_cluster cluster;
  for (const char* name : {R"(a.b\": [c)", "a.#x", "a.- y: z", "a.{n}"}) {
    cluster.content["collections"].push_back(std::string(R"({"_id": ")") + name +
                                             R"(", "key": {"x: y": 1, "- z": "hashed"}})");
  }
  const auto printed = read(text_of(cluster));
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->collections().size(), 4U);
  EXPECT_NE(printed->find("a", "b\": [c"), nullptr);
}

TEST_F(cluster_text_test, passes_errors_on) {
  fake_cluster cluster{tests::cluster_of("8.0")};
  cluster.errors["chunks"] = {mongo_failure::unauthorized, 13, "not authorized"};
  EXPECT_EQ(cluster_text(cluster).error().kind, mongo_failure::unauthorized);
  cluster.errors["collections"] = {mongo_failure::unreachable, 0, "gone"};
  EXPECT_EQ(cluster_text(cluster).error().text, "gone");
  cluster.server.is_mongos = false;
  EXPECT_EQ(cluster_text(cluster).error().kind, mongo_failure::not_mongos);
}

}  // namespace
}  // namespace scattergate::config
