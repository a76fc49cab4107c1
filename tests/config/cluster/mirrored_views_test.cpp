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

constexpr auto recent = R"({"name": "recent", "type": "view",
                            "options": {"viewOn": "orders", "pipeline": [{"$match": {"a": 1}}]}})";
constexpr auto older = R"({"name": "recent", "type": "view",
                           "options": {"viewOn": "orders", "pipeline": [{"$match": {"a": 2}}]}})";

class mirror_views_test : public testing::Test {
 protected:
  load_outcome load(load_depth depth = load_depth::chunks) {
    cluster.lists.clear();
    return mirror.load(cluster, depth, hooks);
  }
  [[nodiscard]] const routing::collection* entry(std::string_view name) const {
    return published.back()->find("shop", name);
  }
  /// Sharded collections, one in each of this number of databases.
  void hold_databases(int count) {
    cluster.content.clear();
    for (int i = 100; i < 100 + count; ++i) {
      cluster.content["collections"].push_back(R"({"_id": "d)" + std::to_string(i) +
                                               R"(.c", "key": {"a": 1}})");
    }
  }

  fake_cluster cluster{tests::cluster_of("8.0")};
  catalog_facts facts;
  cluster_mirror mirror{{.chunks = 1'000}, facts};
  std::vector<std::shared_ptr<const routing::catalog>> published;
  load_hooks hooks{[this](auto made) { published.push_back(std::move(made)); }};
};

TEST_F(mirror_views_test, are_entries_of_the_catalog) {
  cluster.views["shop"] = {recent};
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_THAT(cluster.lists, ElementsAre("shop"));
  ASSERT_NE(entry("recent"), nullptr);
  EXPECT_EQ(entry("recent")->view_on, "orders");
  EXPECT_EQ(load().result, load_result::unchanged);
}

TEST_F(mirror_views_test, are_unreadable_rather_than_unsharded) {
  cluster.views["shop"] = {
      recent, R"({"name": "o*", "type": "view", "options": {"viewOn": "orders"}})"};
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_TRUE(entry("o*")->is_unreadable);
  EXPECT_TRUE(entry("orders")->is_sharded());
  EXPECT_FALSE(entry("recent")->is_unreadable);
  ASSERT_THAT(published.back()->faults(), SizeIs(1));
  EXPECT_EQ(to_string(as_problem(published.back()->faults()[0])),
            "listCollections: shop.o*: its pipeline isn't a list of stages");
  EXPECT_EQ(load().result, load_result::unchanged);
  cluster.views["shop"].pop_back();
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_THAT(published.back()->faults(), IsEmpty());
}

TEST_F(mirror_views_test, are_listed_where_the_only_collection_is_unreadable) {
  cluster.content["collections"] = {R"({"_id": "shop.orders", "key": 5})"};
  cluster.views["shop"] = {recent};
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_TRUE(entry("recent")->is_view());
}

TEST_F(mirror_views_test, are_followed) {
  cluster.views["shop"] = {recent};
  static_cast<void>(load());
  const auto before = entry("recent")->view_pipeline;
  cluster.views["shop"] = {older};
  EXPECT_EQ(load(load_depth::collections).result, load_result::changed);
  EXPECT_NE(entry("recent")->view_pipeline, before);
  cluster.views["shop"].clear();
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_EQ(entry("recent"), nullptr);
}

TEST_F(mirror_views_test, go_with_the_last_sharded_collection_of_their_database) {
  cluster.views["shop"] = {recent};
  static_cast<void>(load());
  cluster.content["collections"] = {R"({"_id": "other.c", "key": {"a": 1}})"};
  EXPECT_THAT(load().result, load_result::inconsistent);  // c has no chunks
  EXPECT_EQ(entry("recent"), nullptr);
  EXPECT_THAT(cluster.lists, ElementsAre("other"));
}

TEST_F(mirror_views_test, may_be_denied_which_is_logged_once) {
  cluster.list_errors["shop"] = {mongo_failure::unauthorized, 13, "not authorized"};
  const auto first = load();
  EXPECT_EQ(first.result, load_result::changed);
  EXPECT_THAT(first.notes, ElementsAre(HasSubstr("the views of shop can't be listed")));
  EXPECT_THAT(load().notes, IsEmpty());
  EXPECT_THAT(cluster.lists, IsEmpty());  // until the next thorough load
  EXPECT_THAT(load(load_depth::thorough).notes, IsEmpty());
  EXPECT_THAT(cluster.lists, SizeIs(1));

  cluster.list_errors.clear();
  cluster.views["shop"] = {recent};
  EXPECT_EQ(load(load_depth::thorough).result, load_result::changed);
  EXPECT_NE(entry("recent"), nullptr);
}

TEST_F(mirror_views_test, stay_while_no_one_answers) {
  cluster.views["shop"] = {recent};
  static_cast<void>(load());
  cluster.list_errors["shop"] = {mongo_failure::unreachable, 0, "gone"};
  EXPECT_EQ(load().result, load_result::unreachable);
  EXPECT_NE(entry("recent"), nullptr);
}

TEST_F(mirror_views_test, are_listed_in_turn_where_there_are_many_databases) {
  hold_databases(50);
  static_cast<void>(load());  // the first load is a thorough one
  EXPECT_THAT(cluster.lists, SizeIs(50));
  std::set<std::string> asked;
  for (const std::size_t expected : {20U, 40U, 50U}) {
    static_cast<void>(load());
    EXPECT_THAT(cluster.lists, SizeIs(20));
    asked.insert(cluster.lists.begin(), cluster.lists.end());
    EXPECT_THAT(asked, SizeIs(expected));
  }
}

TEST_F(mirror_views_test, of_databases_in_focus_and_of_new_ones_are_listed_at_once) {
  hold_databases(50);
  static_cast<void>(load());
  hold_databases(52);
  hooks.focus.add({"d120", "v"});
  static_cast<void>(load());
  EXPECT_THAT(cluster.lists, ElementsAre("d120", "d150", "d151"));
  static_cast<void>(load());
  EXPECT_THAT(cluster.lists, ElementsAre("d120"));
  hooks.focus.add(wire::namespace_view{});
  static_cast<void>(load(load_depth::thorough));
  EXPECT_THAT(cluster.lists, SizeIs(52));
}

TEST_F(mirror_views_test, take_no_more_than_their_share_of_memory) {
  const std::string large(1'000'000, 'x');
  for (int i = 0; i < 20; ++i) {
    cluster.views["shop"].push_back(R"({"name": "v)" + std::to_string(i) +
                                    R"(", "type": "view", "options": {"viewOn": "orders",
                                       "pipeline": [{"$match": {"a": ")" +
                                    large + R"("}}]}})");
  }
  EXPECT_EQ(load().result, load_result::changed);
  EXPECT_NE(entry("v0"), nullptr);
  EXPECT_EQ(entry("v19"), nullptr);
}

}  // namespace
}  // namespace scattergate::config
