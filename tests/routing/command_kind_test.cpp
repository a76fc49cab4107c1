#include "routing/command_kind.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace scattergate::routing {
namespace {

using enum command_kind;

command_kind kind_at(std::size_t position) {
  return static_cast<command_kind>(position);
}

TEST(command_kind, every_kind_is_found_by_its_own_name) {
  for (std::size_t i = 0; i < command_kind_count; ++i) {
    const command_kind kind = kind_at(i);
    EXPECT_EQ(kind_of(name_of(kind)), is_group(kind) ? other : kind) << name_of(kind);
  }
}

TEST(command_kind, no_two_kinds_share_a_name) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < command_kind_count; ++i) names.insert(name_of(kind_at(i)));
  EXPECT_EQ(names.size(), command_kind_count);
  EXPECT_FALSE(names.contains(""));
}

TEST(command_kind, other_spellings_that_mongodb_accepts_are_the_same_command) {
  EXPECT_EQ(kind_of("findandmodify"), find_and_modify);
  EXPECT_EQ(kind_of("mapreduce"), map_reduce);
  EXPECT_EQ(kind_of("ismaster"), is_master);
  EXPECT_EQ(kind_of("buildinfo"), build_info);
  EXPECT_EQ(kind_of("deleteIndexes"), drop_indexes);
  EXPECT_EQ(kind_of("dbstats"), db_stats);
  EXPECT_EQ(kind_of("collstats"), coll_stats);
  EXPECT_EQ(kind_of("datasize"), data_size);
  EXPECT_EQ(kind_of("enablesharding"), enable_sharding);
  EXPECT_EQ(kind_of("shardcollection"), shard_collection);
  EXPECT_EQ(kind_of("movechunk"), move_chunk);
  for (const char* name : {"addshard", "addshardtozone", "flushrouterconfig", "getshardversion",
                           "listshards", "moveprimary", "removeshard", "removeshardfromzone"}) {
    EXPECT_EQ(kind_of(name), sharding_admin) << name;
  }
  EXPECT_EQ(kind_of("connpoolsync"), diagnostics);
}

TEST(command_kind, names_are_matched_exactly) {
  for (const char* name :
       {"", "f", "Find", "FIND", "find ", " find", "finder", "fin", "delete_", "insertt",
        "$eval", "shardingAdmin", "userAdmin", "diagnostics", "other"}) {
    EXPECT_EQ(kind_of(name), other) << name;
  }
  EXPECT_EQ(kind_of(std::string_view("find\0", 5)), other);
  EXPECT_EQ(kind_of(std::string(1 << 20, 'x')), other);
}

TEST(command_kind, rare_commands_stand_together_under_one_label) {
  EXPECT_EQ(kind_of("addShard"), sharding_admin);
  EXPECT_EQ(kind_of("balancerStatus"), sharding_admin);
  EXPECT_EQ(kind_of("isdbgrid"), sharding_admin);
  EXPECT_EQ(kind_of("createUser"), user_admin);
  EXPECT_EQ(kind_of("usersInfo"), user_admin);
  EXPECT_EQ(kind_of("fsync"), diagnostics);
  EXPECT_EQ(kind_of("replSetGetStatus"), diagnostics);
  EXPECT_EQ(kind_of("getLastError"), diagnostics);
}

TEST(command_kind, only_the_labels_of_several_commands_are_groups) {
  for (const auto kind : {other, sharding_admin, user_admin, diagnostics}) {
    EXPECT_TRUE(is_group(kind)) << name_of(kind);
  }
  for (const auto kind : {find, hello, move_chunk, list_commands}) {
    EXPECT_FALSE(is_group(kind)) << name_of(kind);
  }
}

TEST(command_kind, families_are_those_of_the_contract) {
  const struct {
    const char* name;
    command_family family;
  } cases[] = {
      {"find", command_family::routed},
      {"bulkWrite", command_family::routed},
      {"mapReduce", command_family::routed},
      {"explain", command_family::wraps},
      {"getMore", command_family::follows_cursor},
      {"killCursors", command_family::follows_cursor},
      {"createIndexes", command_family::by_nature},
      {"listIndexes", command_family::by_nature},
      {"collMod", command_family::by_nature},
      {"collStats", command_family::by_nature},
      {"validate", command_family::by_nature},
      {"drop", command_family::by_nature},
      {"renameCollection", command_family::by_nature},
      {"hello", command_family::not_routed},
      {"commitTransaction", command_family::not_routed},
      {"currentOp", command_family::not_routed},
      {"listDatabases", command_family::not_routed},
      {"shardCollection", command_family::not_routed},
      {"addShard", command_family::not_routed},
      {"analyzeShardKey", command_family::not_routed},
      {"configureQueryAnalyzer", command_family::not_routed},
      {"createSearchIndexes", command_family::not_routed},
      {"updateSearchIndex", command_family::not_routed},
      {"dropSearchIndex", command_family::not_routed},
      {"listSearchIndexes", command_family::not_routed},
      {"changePrimary", command_family::not_routed},
      {"rewriteCollection", command_family::not_routed},
      {"abortRewriteCollection", command_family::not_routed},
      {"autoSplitVector", command_family::not_routed},
      {"configureCollectionAutoSplitter", command_family::not_routed},
      {"createUser", command_family::not_routed},
      {"noSuchCommand", command_family::unknown},
  };
  for (const auto& c : cases) EXPECT_EQ(family_of(kind_of(c.name)), c.family) << c.name;
}

// specifications: command-logging-and-monitoring, "Security".
TEST(command_kind, every_command_of_the_specifications_list_is_sensitive) {
  for (const char* name :
       {"authenticate", "saslStart", "saslContinue", "getnonce", "createUser", "updateUser",
        "copydbgetnonce", "copydbsaslstart", "copydb", "hello", "isMaster", "ismaster"}) {
    EXPECT_TRUE(is_sensitive(kind_of(name))) << name;
  }
  for (const char* name : {"find", "insert", "ping", "listShards", "noSuchCommand"}) {
    EXPECT_FALSE(is_sensitive(kind_of(name))) << name;
  }
}

TEST(command_kind, a_first_string_names_a_collection_only_where_the_command_takes_one) {
  for (const char* name : {"find", "insert", "drop", "killCursors", "createIndexes"}) {
    EXPECT_TRUE(takes_collection(kind_of(name))) << name;
    EXPECT_FALSE(takes_namespace(kind_of(name))) << name;
  }
  for (const char* name : {"renameCollection", "shardCollection", "dataSize", "moveChunk"}) {
    EXPECT_TRUE(takes_collection(kind_of(name))) << name;
    EXPECT_TRUE(takes_namespace(kind_of(name))) << name;
  }
  for (const char* name : {"addShard", "enableSharding", "createUser", "getLog", "explain",
                           "bulkWrite", "noSuchCommand"}) {
    EXPECT_FALSE(takes_collection(kind_of(name))) << name;
    EXPECT_FALSE(takes_namespace(kind_of(name))) << name;
  }
}

// A row's field names must be consistent: readers of one of them rely on the others.
TEST(command_kind, a_batch_has_its_list_and_its_statements_a_filter) {
  for (const command_row& row : command_rows) {
    const command_facts& facts = row.facts;
    EXPECT_EQ(facts.batch.empty(), facts.holds == batch_items::none) << row.name;
    const bool needs_filter =
        facts.holds == batch_items::statements || facts.holds == batch_items::operations;
    EXPECT_TRUE(!needs_filter || !facts.filter.empty()) << row.name;
    const bool is_insert = facts.holds == batch_items::documents;
    EXPECT_TRUE(!is_insert || facts.filter.empty()) << row.name;
    EXPECT_EQ(facts.document.empty(), facts.holds != batch_items::operations) << row.name;
  }
}

TEST(command_kind, only_routed_commands_have_filters_batches_and_explains) {
  for (const command_row& row : command_rows) {
    if (row.family == command_family::routed) continue;
    EXPECT_TRUE(row.facts.filter.empty() && row.facts.batch.empty()) << row.name;
    EXPECT_EQ(row.facts.explained, explain_support::none) << row.name;
    EXPECT_FALSE(row.facts.has_pattern || row.facts.is_write) << row.name;
  }
}

TEST(command_kind, filters_and_lists_of_statements_are_known_by_name) {
  for (const char* name : {"filter", "query", "q"}) EXPECT_TRUE(is_filter_field(name)) << name;
  for (const char* name : {"", "u", "pipeline"}) EXPECT_FALSE(is_filter_field(name)) << name;
  for (const char* name : {"updates", "deletes", "ops"}) {
    EXPECT_TRUE(is_statement_list(name)) << name;
  }
  for (const char* name : {"", "documents", "q"}) EXPECT_FALSE(is_statement_list(name)) << name;
}

}  // namespace
}  // namespace scattergate::routing
