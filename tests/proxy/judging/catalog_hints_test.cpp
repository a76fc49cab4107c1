#include <gtest/gtest.h>

#include "proxy/judging/verdict_notes.hpp"
#include "tests/support/json_document.hpp"

namespace scattergate::proxy {
namespace {

using routing::bounds_kind;
using routing::command_kind;
using routing::routing_class;

/// The verdict for a find on a collection that isn't listed.
routing::verdict unlisted(std::string_view database, std::string_view collection) {
  routing::verdict made;
  made.command = command_kind::find;
  made.routing = routing_class::unsharded;
  made.database = database;
  made.collection = collection;
  made.statements[static_cast<std::size_t>(made.routing)] = 1;
  return made;
}

routing::collection entry_of(const char* database, const char* name) {
  routing::collection made;
  made.database = database;
  made.name = name;
  return made;
}

/// The verdict for a find on shop.orders, which `entry` lists.
routing::verdict on_orders(const routing::collection& entry, routing_class routing,
                           bounds_kind bounds) {
  routing::verdict made = unlisted("shop", "orders");
  made.judged = &entry;
  made.statements = {};
  made.routing = routing;
  made.bounds = bounds;
  made.statements[static_cast<std::size_t>(routing)] = 1;
  return made;
}

class catalog_hints_test : public testing::Test {
 protected:
  catalog_hints_test() { hints.follow(notes); }

  /// Reports a change, as the worker does when it has seen the reply.
  void change(const char* database, const char* collection, bool is_placement = false) {
    config::metadata_change made;
    made.database = database;
    made.collection = collection;
    made.is_placement = is_placement;
    notes->note_change(made);
  }
  /// What a command may change. `on`: the catalog's entry for its collection.
  [[nodiscard]] std::vector<config::metadata_change> changes_by(
      const std::string& json, const routing::collection* on = nullptr) const {
    const tests::json_document body{json};
    const auto command = wire::command_of(body.view()).value();
    routing::verdict made;
    made.command = routing::kind_of(command.name);
    made.database = "shop";
    made.collection = "orders";
    made.judged = on;
    return hints.changes_by(made, command);
  }
  [[nodiscard]] bool may(const std::string& name,
                         const routing::collection* on = nullptr) const {
    return !changes_by("{\"" + name + "\": 1}", on).empty();
  }

  const routing::collection orders = entry_of("shop", "orders");
  std::shared_ptr<config::catalog_notes> notes = std::make_shared<config::catalog_notes>();
  catalog_hints hints;
};

TEST_F(catalog_hints_test, note_a_namespace_that_the_catalog_does_not_list) {
  hints.note_unlisted(unlisted("shop", "orders"));
  EXPECT_EQ(notes->asked(), 1U);
  hints.note_unlisted(unlisted("shop", "orders"));
  EXPECT_EQ(notes->asked(), 1U);
  hints.note_unlisted(unlisted("shop", "users"));
  EXPECT_EQ(notes->asked(), 2U);
}

TEST_F(catalog_hints_test, note_nothing_that_cannot_be_sharded_or_is_listed) {
  routing::verdict known = unlisted("shop", "orders");
  known.judged = &orders;
  routing::verdict not_routed = unlisted("shop", "orders");
  not_routed.routing = routing_class::not_routed;
  routing::verdict unreadable = unlisted("shop", "orders");
  unreadable.routing = routing_class::unknown;
  unreadable.why = routing::reason::unreadable;
  for (const auto& verdict :
       {known, not_routed, unreadable, unlisted("admin", "a"), unlisted("config", "a"),
        unlisted("local", "a"), unlisted("a", "")}) {
    hints.note_unlisted(verdict);
  }
  EXPECT_EQ(notes->asked(), 0U);
}

TEST_F(catalog_hints_test, know_the_commands_that_change_a_catalog) {
  for (const char* name : {"shardCollection",
                           "reshardCollection",
                           "refineCollectionShardKey",
                           "unshardCollection",
                           "moveCollection",
                           "moveChunk",
                           "moveRange",
                           "split",
                           "mergeChunks",
                           "renameCollection",
                           "dropDatabase",
                           "movePrimary",
                           "mergeAllChunksOnShard",
                           "commitReshardCollection",
                           "shardcollection",
                           "movechunk",
                           "moveprimary",
                           "removeshard",
                           "updateZoneKeyRange",
                           "balancerStart"}) {
    EXPECT_TRUE(may(name)) << name;
  }
  for (const char* name :
       {"find", "insert", "aggregate", "balancerStatus", "listShards", "flushRouterConfig",
        "hello", "createIndexes", "drop", "create", "collMod"}) {
    EXPECT_FALSE(may(name)) << name;
  }
  EXPECT_TRUE(may("drop", &orders));
  EXPECT_TRUE(may("collMod", &orders));  // it may change a view's stages, or a series' span
  change("other", "c");
  EXPECT_TRUE(may("drop"));  // the catalog may lack the collection
  hints.follow(nullptr);
  EXPECT_FALSE(may("shardCollection"));  // no live catalog
}

TEST_F(catalog_hints_test, know_what_a_command_changes) {
  const auto sharded = changes_by(R"({"shardCollection": "shop.orders"})");
  ASSERT_EQ(sharded.size(), 1U);
  EXPECT_EQ(sharded[0].database, "shop");
  EXPECT_EQ(sharded[0].collection, "orders");
  EXPECT_FALSE(sharded[0].is_placement || sharded[0].goes_on);
  EXPECT_TRUE(changes_by(R"({"split": "shop.orders"})")[0].is_placement);
  const auto zoned = changes_by(R"({"addShardToZone": "shard1"})");
  EXPECT_EQ(zoned[0].database, "");
  EXPECT_TRUE(zoned[0].is_placement && zoned[0].goes_on);
  const auto renamed = changes_by(R"({"renameCollection": "shop.orders", "to": "b.c.d"})");
  ASSERT_EQ(renamed.size(), 2U);
  EXPECT_EQ(renamed[1].database, "b");
  EXPECT_EQ(renamed[1].collection, "c.d");
  EXPECT_EQ(changes_by(R"({"renameCollection": "shop.orders", "to": 5})")[1].database, "");
  EXPECT_EQ(changes_by(R"({"create": "recent", "viewOn": "orders"})").size(), 1U);
}

TEST_F(catalog_hints_test, doubt_a_verdict_until_the_change_is_read) {
  const auto find = unlisted("shop", "orders");
  EXPECT_FALSE(hints.may_be_outdated());
  change("shop", "orders");
  EXPECT_TRUE(hints.may_be_outdated());
  EXPECT_TRUE(hints.is_outdated(find));
  EXPECT_TRUE(hints.is_outdated(unlisted("shop", "recent")));  // may be a view over orders
  EXPECT_FALSE(hints.is_outdated(unlisted("other", "orders")));
  hints.note_read(0);
  EXPECT_TRUE(hints.is_outdated(find));
  hints.note_read(1);
  EXPECT_FALSE(hints.may_be_outdated());
  EXPECT_FALSE(hints.is_outdated(find));
  EXPECT_TRUE(hints.has_read(1));
  EXPECT_FALSE(hints.has_read(2));
}

TEST_F(catalog_hints_test, doubt_nothing_that_was_read_before_the_change_was_noticed) {
  change("shop", "orders");
  hints.note_read(1);  // another worker's change
  EXPECT_FALSE(hints.is_outdated(unlisted("shop", "orders")));
  EXPECT_FALSE(hints.may_be_outdated());
}

TEST_F(catalog_hints_test, keep_a_verdict_that_cannot_be_too_good) {
  change("shop", "");  // the database was dropped
  using enum routing_class;
  for (const routing_class each : {unsharded, single_shard, multi_shard}) {
    EXPECT_TRUE(hints.is_outdated(on_orders(orders, each, bounds_kind::point)));
  }
  for (const routing_class each : {not_routed, unknown, scatter_gather}) {
    EXPECT_FALSE(hints.is_outdated(on_orders(orders, each, bounds_kind::full)));
  }
}

TEST_F(catalog_hints_test, doubt_only_what_depends_on_chunks_if_only_they_have_changed) {
  change("shop", "orders", true);
  using enum routing_class;
  auto find = on_orders(orders, single_shard, bounds_kind::point);
  EXPECT_FALSE(hints.is_outdated(find));
  find.statements[static_cast<std::size_t>(single_shard)] = 2;  // of two documents
  EXPECT_TRUE(hints.is_outdated(find));
  EXPECT_TRUE(hints.is_outdated(on_orders(orders, single_shard, bounds_kind::narrowed)));
  EXPECT_TRUE(hints.is_outdated(on_orders(orders, multi_shard, bounds_kind::narrowed)));
  EXPECT_FALSE(hints.is_outdated(unlisted("shop", "orders")));
  EXPECT_FALSE(hints.is_outdated(unlisted("shop", "recent")));
}

TEST_F(catalog_hints_test, doubt_a_command_that_joins_the_changed_collection) {
  change("shop", "orders");
  routing::verdict joins = unlisted("other", "carts");
  const routing::touch one{.database = "shop", .collection = "orders"};
  joins.touches = {&one, 1};
  EXPECT_TRUE(hints.is_outdated(joins));
  routing::verdict view = unlisted("shop", "recent");
  view.judged = &orders;
  view.routing = routing_class::single_shard;
  EXPECT_TRUE(hints.is_outdated(view));
}

TEST_F(catalog_hints_test, take_too_many_changes_for_one_of_everything) {
  for (int i = 0; i < 50; ++i) change("shop", std::to_string(i).c_str());
  EXPECT_FALSE(hints.is_outdated(unlisted("other", "orders")));
  for (int i = 50; i < 100; ++i) change("shop", std::to_string(i).c_str());
  EXPECT_TRUE(hints.is_outdated(unlisted("other", "orders")));
  hints.note_read(1);
  EXPECT_FALSE(hints.may_be_outdated());
}

}  // namespace
}  // namespace scattergate::proxy
