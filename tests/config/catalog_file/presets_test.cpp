#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/text_readers.hpp"
#include "routing/shape/shape.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/problem.hpp"

namespace scattergate::config {
namespace {

using testing::ElementsAre;

std::string key_of(const routing::catalog& catalog, const char* database, const char* name) {
  const auto* entry = catalog.find(database, name);
  if (entry == nullptr) return "not listed";
  std::string key;
  for (const auto& field : entry->key) key += " " + field.path + (field.hashed ? "#" : "");
  return key.empty() ? "unsharded" : key.substr(1);
}

TEST(presets, are_three) {
  EXPECT_THAT(preset_names(), ElementsAre("bugsnag", "yorkie", "yorkie-v0.4"));
  const auto unknown = load_catalog("preset:yorky");
  EXPECT_FALSE(unknown.value);
  EXPECT_THAT(unknown.problems,
              ElementsAre(text::problem{"preset:yorky",
                                        "no such preset (known: bugsnag yorkie yorkie-v0.4)"}));
}

TEST(presets, hold_the_shard_keys_of_their_designs) {
  struct row {
    const char* preset;
    const char* database;
    const char* collection;
    const char* key;
  };
  const row rows[] = {
      {"yorkie", "yorkie-meta", "users", "unsharded"},
      {"yorkie", "yorkie-meta", "projects", "unsharded"},
      {"yorkie", "yorkie-meta", "clients", "project_id _id#"},
      {"yorkie", "yorkie-meta", "documents", "project_id"},
      {"yorkie", "yorkie-meta", "schemas", "project_id"},
      {"yorkie", "yorkie-meta", "changes", "doc_id#"},
      {"yorkie", "yorkie-meta", "snapshots", "doc_id#"},
      {"yorkie", "yorkie-meta", "versionvectors", "doc_id#"},
      {"yorkie", "yorkie-meta", "revisions", "doc_id#"},
      {"yorkie-v0.4", "yorkie-meta", "users", "unsharded"},
      {"yorkie-v0.4", "yorkie-meta", "projects", "unsharded"},
      {"yorkie-v0.4", "yorkie-meta", "clients", "project_id"},
      {"yorkie-v0.4", "yorkie-meta", "documents", "project_id"},
      {"yorkie-v0.4", "yorkie-meta", "changes", "doc_id"},
      {"yorkie-v0.4", "yorkie-meta", "snapshots", "doc_id"},
      {"yorkie-v0.4", "yorkie-meta", "syncedseqs", "doc_id"},
      {"bugsnag", "bugsnag", "events", "_id#"},
      {"bugsnag", "bugsnag", "errors", "projectId _id"},
      {"bugsnag", "bugsnag", "projects", "unsharded"},
  };
  for (const row& one : rows) {
    const auto loaded = load_catalog(std::string{"preset:"} + one.preset);
    for (const text::problem& wrong : loaded.problems) ADD_FAILURE() << to_string(wrong);
    ASSERT_TRUE(loaded.value);
    EXPECT_EQ(key_of(*loaded.value, one.database, one.collection), one.key)
        << one.preset << " " << one.collection;
  }
}

TEST(presets, are_files_to_start_ones_own_from) {
  const test::temporary_folder folder;
  for (const std::string& name : preset_names()) {
    const auto loaded = load_catalog(folder.write("own.yaml", preset_text(name)));
    EXPECT_THAT(loaded.problems, ElementsAre());
    const auto preset = load_catalog("preset:" + name);
    EXPECT_EQ(loaded.value->collections().size(), preset.value->collections().size());
    EXPECT_EQ(loaded.rules, preset.rules);
  }
}

std::uint64_t shape_of(const std::string& command_json) {
  const bson_bytes body = bson_of_json(command_json).value();
  const auto command = wire::command_of(body.view());
  EXPECT_TRUE(command);
  std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  return command ? routing::shape_hash(*command, memory) : 0;
}

// Yorkie's FindActiveClients: rare maintenance that scatters on purpose.
constexpr const char* find_active_clients =
    R"({"find":"clients","filter":{"_id":{"$gt":{"$oid":"000000000000000000000000"}},)"
    R"("status":"activated"},"limit":100,"sort":{"_id":1},"$db":"yorkie-meta"})";

TEST(the_yorkie_preset, accepts_the_housekeeping_and_no_other_scatter) {
  const auto loaded = load_catalog("preset:yorkie");
  ASSERT_EQ(loaded.rules.size(), 1U);
  const rule& housekeeping = loaded.rules[0];
  EXPECT_EQ(housekeeping.action, rule_action::accept);
  EXPECT_EQ(housekeeping.match.name_space.value, "yorkie-meta.clients");
  EXPECT_EQ(housekeeping.match.command.value, routing::command_kind::find);
  EXPECT_EQ(housekeeping.match.routing.value, routing::routing_class::scatter_gather);
  EXPECT_FALSE(housekeeping.why.empty());
  EXPECT_FALSE(housekeeping.by.empty());
  ASSERT_TRUE(housekeeping.match.shape.value);
  EXPECT_EQ(*housekeeping.match.shape.value, shape_of(find_active_clients))
      << "the shape is now " << routing::shape_hash_text(shape_of(find_active_clients));
  EXPECT_NE(
      *housekeeping.match.shape.value,
      shape_of(R"({"find":"clients","filter":{"key":"k"},"limit":1,"$db":"yorkie-meta"})"));
}

}  // namespace
}  // namespace scattergate::config
