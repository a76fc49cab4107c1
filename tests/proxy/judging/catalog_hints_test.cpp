#include "proxy/judging/catalog_hints.hpp"

#include <gtest/gtest.h>

namespace scattergate::proxy {
namespace {

using routing::command_kind;
using routing::routing_class;

/// The verdict for a find on a collection that isn't listed.
routing::verdict unlisted(std::string_view database, std::string_view collection) {
  routing::verdict made;
  made.command = command_kind::find;
  made.routing = routing_class::unsharded;
  made.database = database;
  made.collection = collection;
  return made;
}

TEST(catalog_hints, note_a_namespace_that_the_catalog_does_not_list) {
  catalog_hints hints;
  config::catalog_notes notes;
  hints.note_unlisted(unlisted("shop", "orders"), notes);
  EXPECT_EQ(notes.asked(), 1U);
  hints.note_unlisted(unlisted("shop", "orders"), notes);
  EXPECT_EQ(notes.asked(), 1U);
  hints.note_unlisted(unlisted("shop", "users"), notes);
  EXPECT_EQ(notes.asked(), 2U);
}

TEST(catalog_hints, note_nothing_that_cannot_be_sharded_or_is_listed) {
  catalog_hints hints;
  config::catalog_notes notes;
  const routing::collection listed;
  routing::verdict known = unlisted("shop", "orders");
  known.judged = &listed;
  routing::verdict not_routed = unlisted("shop", "orders");
  not_routed.routing = routing_class::not_routed;
  routing::verdict unreadable = unlisted("shop", "orders");
  unreadable.routing = routing_class::unknown;
  unreadable.why = routing::reason::unreadable;
  for (const auto& verdict :
       {known, not_routed, unreadable, unlisted("admin", "a"), unlisted("config", "a"),
        unlisted("local", "a"), unlisted("a", "")}) {
    hints.note_unlisted(verdict, notes);
  }
  EXPECT_EQ(notes.asked(), 0U);
}

TEST(catalog_hints, know_the_commands_that_change_a_catalog) {
  const routing::collection listed;
  const auto may = [](std::string_view name, const routing::collection* on = nullptr) {
    routing::verdict made;
    made.command = routing::kind_of(name);
    made.judged = on;
    return catalog_hints::may_change_catalog(made, name);
  };
  for (const char* name :
       {"shardCollection", "reshardCollection", "refineCollectionShardKey", "unshardCollection",
        "moveCollection", "moveChunk", "moveRange", "split", "mergeChunks", "renameCollection",
        "dropDatabase", "movePrimary", "mergeAllChunksOnShard", "commitReshardCollection",
        "shardcollection", "movechunk", "moveprimary", "removeshard"}) {
    EXPECT_TRUE(may(name)) << name;
  }
  for (const char* name :
       {"find", "insert", "aggregate", "balancerStatus", "listShards", "flushRouterConfig",
        "hello", "createIndexes", "drop", "create", "collMod"}) {
    EXPECT_FALSE(may(name)) << name;
  }
  EXPECT_TRUE(may("drop", &listed));
  EXPECT_TRUE(may("collMod", &listed));  // it may change a view's stages, or a series' span
}

}  // namespace
}  // namespace scattergate::proxy
