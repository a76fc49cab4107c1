#include "config/cluster/cluster_mirror.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/cluster/fake_cluster.hpp"

namespace scattergate::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using tests::fake_cluster;

constexpr auto all_of_a = R"({"customer": {"$minKey": 1}, "_id": {"$minKey": 1}})";
constexpr auto end_of_a = R"({"customer": {"$maxKey": 1}, "_id": {"$maxKey": 1}})";
constexpr auto fifty = R"({"customer": 50, "_id": {"$minKey": 1}})";

/// A mirror of a fake cluster, and what it has published.
class cluster_mirror_test : public testing::Test {
 protected:
  load_outcome load(load_depth depth = load_depth::chunks) {
    cluster.finds.clear();
    cluster.chunks_sent = 0;
    return mirror.load(cluster, depth, hooks);
  }
  [[nodiscard]] const routing::catalog& now() const { return *published.back(); }
  [[nodiscard]] const routing::collection* entry(std::string_view name) const {
    return now().find("shop", name);
  }
  [[nodiscard]] std::vector<std::string> owners(std::string_view name) const {
    std::vector<std::string> found;
    const routing::chunk_map& chunks = entry(name)->chunks;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      found.push_back(now().shards()[chunks.owner(i)]);
    }
    return found;
  }
  [[nodiscard]] std::uint64_t key_only(key_only_reason why) const {
    return facts.key_only[static_cast<std::size_t>(why)];
  }
  std::string& text_of(const std::string& collection, const std::string& part) {
    for (std::string& text : cluster.content[collection]) {
      if (text.find(part) != text.npos) return text;
    }
    throw std::out_of_range(part);
  }
  void add_chunk(const char* min, const char* max, const char* shard, int major, int minor) {
    cluster.content["chunks"].push_back(
        tests::chunk_text("8.0", tests::orders, min, max, shard, major, minor));
  }

  fake_cluster cluster{tests::cluster_of("8.0")};
  catalog_facts facts;
  std::size_t max_chunks = 1000;
  cluster_mirror mirror{{.chunks = max_chunks}, facts};
  std::vector<std::shared_ptr<const routing::catalog>> published;
  load_hooks hooks{[this](auto made) { published.push_back(std::move(made)); }};
};

class each_format : public cluster_mirror_test,
                    public testing::WithParamInterface<std::tuple<const char*, bool>> {};

INSTANTIATE_TEST_SUITE_P(formats, each_format,
                         testing::Combine(testing::Values("4.4", "5.0", "6.0", "7.0", "8.0",
                                                          "8.2"),
                                          testing::Bool()));

TEST_P(each_format, gives_the_catalog_whatever_the_server_heeds) {
  const auto [version, heeds_filters] = GetParam();
  cluster.hold(tests::cluster_of(version));
  cluster.heeds_filters = heeds_filters;
  const auto outcome = load();
  EXPECT_EQ(outcome.result, load_result::changed) << outcome.detail;
  EXPECT_THAT(outcome.notes, IsEmpty());
  EXPECT_EQ(now().version().text(), std::string{version} + ".3");  // with its patch level
  ASSERT_NE(entry("orders"), nullptr);
  EXPECT_THAT(owners("orders"), ElementsAre("shard1", "shard2"));
  EXPECT_THAT(owners("people"), ElementsAre("shard1"));
  EXPECT_FALSE(entry("people")->simple_collation);
  EXPECT_TRUE(entry("people")->unique);
  EXPECT_EQ(entry("gone"), nullptr);
  EXPECT_EQ(entry("system.resharding.1f"), nullptr);
  EXPECT_EQ(facts.shards, 3U);
  EXPECT_EQ(facts.databases, 1U);
  EXPECT_EQ(facts.skipped_collections, 0U);
  EXPECT_EQ(facts.skipped_chunks, 0U);
  EXPECT_EQ(entry("carts") != nullptr, version >= std::string_view{"5.0"});
  EXPECT_EQ(now().buckets_of("shop", "weather") != nullptr, version >= std::string_view{"6.0"});
  if (version >= std::string_view{"8.0"}) {
    ASSERT_NE(entry("moved"), nullptr);
    EXPECT_FALSE(entry("moved")->is_sharded());
  }
  // Nothing has changed since.
  const std::size_t before = published.size();
  EXPECT_EQ(load().result, load_result::unchanged);
  EXPECT_EQ(load(load_depth::thorough).result, load_result::unchanged);
  EXPECT_EQ(published.size(), before);
}

TEST_F(cluster_mirror_test, publishes_the_keys_before_the_chunks) {
  EXPECT_EQ(load().result, load_result::changed);
  ASSERT_THAT(published, SizeIs(2));
  EXPECT_TRUE(published[0]->find("shop", "orders")->is_sharded());
  EXPECT_TRUE(published[0]->find("shop", "orders")->chunks.is_empty());
  EXPECT_FALSE(published[1]->find("shop", "orders")->chunks.is_empty());
}

TEST_F(cluster_mirror_test, reads_only_what_is_new_of_the_chunks) {
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(load().result, load_result::unchanged);
  EXPECT_LE(cluster.chunks_sent, 4U);  // of each collection the newest
  cluster.content["chunks"].erase(cluster.content["chunks"].begin());
  add_chunk(fifty, end_of_a, "shard3", 3, 0);
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_THAT(owners("orders"), ElementsAre("shard1", "shard3"));
}

TEST_F(cluster_mirror_test, reads_all_chunks_of_another_incarnation) {
  EXPECT_EQ(load().result, load_result::changed);
  tests::described again = tests::orders;
  again.mark = 'q';
  again.key = R"({"state": 1})";
  cluster.content["collections"][0] = tests::collection_text("8.0", again);
  cluster.content["chunks"].push_back(
      tests::chunk_text("8.0", again, R"({"state": {"$minKey": 1}})",
                        R"({"state": {"$maxKey": 1}})", "shard3", 1, 0));
  EXPECT_EQ(load(load_depth::collections).result, load_result::changed);
  EXPECT_EQ(entry("orders")->key.front().path, "state");
  EXPECT_THAT(owners("orders"), ElementsAre("shard3"));
}

TEST_F(cluster_mirror_test, forgets_dropped_collections) {
  EXPECT_EQ(load().result, load_result::changed);
  cluster.content["collections"].erase(cluster.content["collections"].begin());
  EXPECT_EQ(load(load_depth::collections).result, load_result::changed);
  EXPECT_EQ(entry("orders"), nullptr);
}

TEST_F(cluster_mirror_test, keeps_chunks_from_before_where_new_ones_contradict_each_other) {
  EXPECT_EQ(load().result, load_result::changed);
  cluster.content["chunks"].erase(cluster.content["chunks"].begin());  // a hole
  const auto outcome = load(load_depth::everything);
  EXPECT_EQ(outcome.result, load_result::inconsistent);
  EXPECT_THAT(outcome.notes, ElementsAre(HasSubstr("shop.orders")));
  EXPECT_THAT(owners("orders"), ElementsAre("shard1", "shard2"));
  EXPECT_EQ(key_only(key_only_reason::inconsistent), 1U);
  EXPECT_THAT(load().notes, IsEmpty());  // said once
  add_chunk(fifty, end_of_a, "shard1", 4, 0);
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_THAT(owners("orders"), ElementsAre("shard1", "shard1"));
  EXPECT_EQ(key_only(key_only_reason::inconsistent), 0U);
}

TEST_F(cluster_mirror_test, knows_only_the_key_where_chunks_never_fitted) {
  cluster.content["chunks"].erase(cluster.content["chunks"].begin());
  EXPECT_EQ(load().result, load_result::inconsistent);
  EXPECT_TRUE(entry("orders")->is_sharded());
  EXPECT_TRUE(entry("orders")->chunks.is_empty());
  EXPECT_THAT(owners("people"), ElementsAre("shard1"));
}

TEST_F(cluster_mirror_test, stays_below_the_cap_and_prefers_what_is_used) {
  cluster_mirror small{{.chunks = 2}, facts};
  hooks.publish = [this](auto made) {
    made->find("shop", "orders")->note_use();
    published.push_back(std::move(made));
  };
  const auto outcome = small.load(cluster, load_depth::chunks, hooks);
  EXPECT_EQ(outcome.result, load_result::changed);
  EXPECT_THAT(owners("orders"), ElementsAre("shard1", "shard2"));
  EXPECT_TRUE(entry("people")->chunks.is_empty());
  EXPECT_EQ(key_only(key_only_reason::max_chunks), 3U);
  EXPECT_THAT(outcome.notes, SizeIs(3));
  // They aren't read again and again.
  cluster.chunks_sent = 0;
  EXPECT_EQ(small.load(cluster, load_depth::chunks, hooks).result, load_result::unchanged);
  EXPECT_EQ(cluster.chunks_sent, 1U);
}

TEST_F(cluster_mirror_test, reads_chunks_by_the_other_name_while_a_cluster_is_upgraded) {
  auto half = tests::cluster_of("4.4");
  half.collections = tests::cluster_of("5.0").collections;
  cluster.hold(half);
  EXPECT_EQ(load().result, load_result::inconsistent);  // carts has no chunks in 4.4
  EXPECT_THAT(owners("orders"), ElementsAre("shard1", "shard2"));
}

TEST_F(cluster_mirror_test, calls_a_collection_unreadable_rather_than_unsharded) {
  const std::pair<std::string, const char*> cases[] = {
      {R"({"_id": "shop.orders", "key": {"a": "spiral"}})", "1 or hashed"},
      {R"({"_id": "shop.orders", "key": {"a.$x": 1}})", "starts with $"},
      {R"({"_id": "shop.orders", "key": {"a": 1}, "defaultCollation": "de"})", "Collation"},
      {R"({"_id": "shop.orders"})", "its key"},
  };
  for (const auto& [record, why] : cases) {
    text_of("collections", "shop.orders") = record;
    EXPECT_EQ(load().result, load_result::changed) << record;
    EXPECT_TRUE(entry("orders")->is_unreadable);
    EXPECT_THAT(owners("people"), ElementsAre("shard1"));
    EXPECT_EQ(facts.skipped_collections, 1U);
    ASSERT_THAT(now().faults(), SizeIs(1));
    EXPECT_EQ(now().faults()[0].name_space, "shop.orders");
    EXPECT_EQ(now().faults()[0].why.where, "config.collections");
    EXPECT_THAT(now().faults()[0].why.what, HasSubstr(why));
  }
}

TEST_F(cluster_mirror_test, calls_a_collection_unreadable_that_has_records_which_differ) {
  auto& records = cluster.content["collections"];
  records.push_back(text_of("collections", "shop.people"));
  records.push_back(R"({"_id": "shop.orders", "key": {"a": 1}})");
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_TRUE(entry("orders")->is_unreadable);
  EXPECT_TRUE(entry("people")->is_sharded());
  ASSERT_THAT(now().faults(), SizeIs(1));
  EXPECT_EQ(now().faults()[0].name_space, "shop.orders");
}

TEST_F(cluster_mirror_test, names_records_without_a_usable_namespace) {
  auto& records = cluster.content["collections"];
  records.push_back(R"({"_id": 5, "key": {"a": 1}})");
  records.push_back(R"({"_id": "shop)" + std::string(300, 'x') + R"(.c", "key": {"a": 1}})");
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_THAT(owners("orders"), ElementsAre("shard1", "shard2"));
  EXPECT_THAT(now().faults(), SizeIs(2));
  EXPECT_EQ(facts.skipped_collections, 2U);
  EXPECT_EQ(load().result, load_result::unchanged);
  records.pop_back();
  records.pop_back();
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_THAT(now().faults(), IsEmpty());
}

TEST_F(cluster_mirror_test, counts_chunks_that_cannot_be_read) {
  cluster.content["chunks"].push_back(R"({"uuid": 5, "min": 1})");
  cluster.heeds_filters = false;
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_GT(facts.skipped_chunks, 0U);
}

TEST_F(cluster_mirror_test, says_why_a_load_failed_and_keeps_what_it_had) {
  EXPECT_EQ(load().result, load_result::changed);
  const std::size_t before = published.size();
  cluster.errors["collections"] = {mongo_failure::unauthorized, 13, "not authorized"};
  auto outcome = load();
  EXPECT_EQ(outcome.result, load_result::unauthorized);
  EXPECT_EQ(outcome.detail, "not authorized");
  cluster.errors = {{"chunks", {mongo_failure::unreachable, 0, "gone"}}};
  EXPECT_EQ(load().result, load_result::unreachable);
  cluster.connect_error = mongo_error{mongo_failure::unreachable, 0, "refused"};
  EXPECT_EQ(load().result, load_result::unreachable);
  cluster.connect_error.reset();
  cluster.server = {false, "RSPrimary", "there:27017", 25};
  outcome = load();
  EXPECT_EQ(outcome.result, load_result::not_mongos);
  EXPECT_THAT(outcome.detail, HasSubstr("RSPrimary"));
  EXPECT_EQ(published.size(), before);
}

TEST_F(cluster_mirror_test, does_without_what_it_may_not_read_next_to_the_collections) {
  for (const char* name : {"shards", "databases", "version"}) {
    cluster.errors[name] = {mongo_failure::unauthorized, 13, "not authorized"};
  }
  cluster.build.clear();
  cluster.server.max_wire_version = 17;
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_THAT(owners("orders"), ElementsAre("shard1", "shard2"));
  EXPECT_EQ(now().version(), (routing::server_version{6, 0}));
}

TEST_F(cluster_mirror_test, takes_a_cluster_without_sharded_collections_for_one) {
  cluster.content["collections"].clear();
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_THAT(now().collections(), IsEmpty());
  EXPECT_FALSE(now().is_absent());
}

TEST_F(cluster_mirror_test, doubts_a_cluster_without_anything) {
  cluster.content.clear();
  EXPECT_EQ(load().result, load_result::empty);
  EXPECT_THAT(published, IsEmpty());
}

TEST_F(cluster_mirror_test, believes_an_emptiness_that_lasts) {
  facts.refresh_ms = 1'000'000;
  EXPECT_EQ(load().result, load_result::changed);
  cluster.content["collections"].clear();
  EXPECT_EQ(load().result, load_result::empty);
  EXPECT_EQ(load().result, load_result::empty);
  EXPECT_NE(entry("orders"), nullptr);
  facts.refresh_ms = 0;  // simulates that the time has passed
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(entry("orders"), nullptr);
}

TEST_F(cluster_mirror_test, believes_an_emptiness_at_once_if_a_command_may_have_dropped_all) {
  facts.refresh_ms = 1'000'000;
  EXPECT_EQ(load().result, load_result::changed);
  cluster.content["collections"].clear();
  hooks.focus.add({"shop", "orders"});
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(entry("orders"), nullptr);
}

TEST_F(cluster_mirror_test, doubts_an_emptiness_without_shards) {
  EXPECT_EQ(load().result, load_result::changed);
  cluster.content.clear();
  hooks.focus.add({"shop", "orders"});
  EXPECT_EQ(load().result, load_result::empty);
  EXPECT_NE(entry("orders"), nullptr);
}

TEST_F(cluster_mirror_test, notices_another_cluster_and_other_shards) {
  EXPECT_EQ(load().result, load_result::changed);
  cluster.content["shards"].pop_back();
  cluster.content["version"] = {
      R"({"_id": 1, "clusterId": {"$oid": "64b000000000000000000002"}})"};
  const auto outcome = load(load_depth::thorough);
  EXPECT_THAT(outcome.notes, ElementsAre(HasSubstr("different cluster"), HasSubstr("shards")));
  EXPECT_THAT(owners("orders"), ElementsAre("shard1", "shard2"));
}

TEST_F(cluster_mirror_test, asks_for_the_collections_alone_on_request) {
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(load(load_depth::collections).result, load_result::unchanged);
  EXPECT_THAT(cluster.finds, ElementsAre("collections"));
}

TEST_F(cluster_mirror_test, stops_on_request) {
  hooks.is_stopped = [] { return true; };
  EXPECT_EQ(load().result, load_result::failed);
  EXPECT_THAT(published, IsEmpty());
}

}  // namespace
}  // namespace scattergate::config
