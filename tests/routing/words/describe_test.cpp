#include "routing/words/describe.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/routing/shape_support.hpp"

namespace scattergate::routing {
namespace {

using namespace scattergate::routing_tests;
using strings = std::vector<std::string>;

collection clients() {
  collection entry;
  entry.database = "yorkie-meta";
  entry.name = "clients";
  entry.key = {{.path = "project_id"}, {.path = "_id", .hashed = true}};
  entry.hashed_field = 1;
  return entry;
}

/// yorkie-meta.changes by {doc_id: 1}, on three shards.
std::shared_ptr<const catalog> three_shards() {
  catalog_builder builder;
  collection entry;
  entry.database = "yorkie-meta";
  entry.name = "changes";
  entry.key = {{.path = "doc_id"}};
  EXPECT_EQ(builder.add(entry), std::nullopt);
  const std::array<std::string, 4> bounds{R"({"doc_id":{"$minKey":1}})", R"({"doc_id":0})",
                                          R"({"doc_id":9})", R"({"doc_id":{"$maxKey":1}})"};
  const std::array<const char*, 3> owners{"shard2", "shard1", "shard3"};
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const tests::json_document low{bounds[i]};
    const tests::json_document high{bounds[i + 1]};
    EXPECT_EQ(builder.add_chunk(low.view(), high.view(), owners[i]), std::nullopt);
  }
  EXPECT_EQ(builder.finish_collection(), std::nullopt);
  return builder.build();
}

verdict scatter_of(const collection& judged, reason why, std::uint64_t missing) {
  verdict made;
  made.command = command_kind::find;
  made.routing = routing_class::scatter_gather;
  made.bounds = bounds_kind::full;
  made.why = why;
  made.database = judged.database;
  made.collection = judged.name;
  made.judged = &judged;
  made.missing = missing;
  return made;
}

TEST(describe, missing_fields_come_in_key_order) {
  const collection on = clients();
  EXPECT_EQ(missing_fields(scatter_of(on, reason::missing_key, 0)), strings{});
  EXPECT_EQ(missing_fields(scatter_of(on, reason::missing_key, 1)), strings{"project_id"});
  EXPECT_EQ(missing_fields(scatter_of(on, reason::missing_key, 2)), strings{"_id"});
  EXPECT_EQ(missing_fields(scatter_of(on, reason::missing_key, 0xFF)),
            (strings{"project_id", "_id"}));
  EXPECT_EQ(missing_fields(verdict{}), strings{});
}

TEST(describe, shard_names_are_sorted_whatever_the_order_of_the_chunks) {
  const auto entries = three_shards();
  std::array<std::uint64_t, 1> words{};
  shard_set shards{words};
  EXPECT_EQ(shard_names(shards, *entries), strings{});
  shards.insert(2);
  shards.insert(0);
  EXPECT_EQ(shard_names(shards, *entries), (strings{"shard1", "shard3"}));
  EXPECT_EQ(shard_names(shard_set{}, *entries), strings{});
}

TEST(describe, a_shard_key_reads_as_mongodb_writes_it) {
  EXPECT_EQ(shard_key_json(clients()), R"({"project_id":1,"_id":"hashed"})");
  EXPECT_EQ(shard_key_json(collection{}), "{}");
}

TEST(describe, a_verdict_is_json_as_the_contract_writes_it) {
  const auto entries = three_shards();
  const json_command find{R"({"find":"changes","filter":{"b":1,"a":"x"},"$db":"yorkie-meta"})"};
  std::array<std::uint64_t, 1> words{0b111};
  verdict made = scatter_of(entries->collections().front(), reason::missing_key, 1);
  made.fanout = shard_set{words};
  lent_scratch lent;
  EXPECT_EQ(
      verdict_json(made, find.command(), *entries, lent.memory()),
      R"({"ns":"yorkie-meta.changes","command":"find","routing":"scatter_gather",)"
      R"("bounds":"full","reason":"missing_key","missing":["doc_id"],)"
      R"("fanout":["shard1","shard2","shard3"],"sent_to":null,"refused":null,"shapeHash":")" +
          hash_of_shape(find.command()) +
          R"(","shape":{"filter":{"a":"?string","b":"?number"}},)"
          R"("suggestion":"add equality or a range on doc_id (the shard key) to the filter: )"
          R"(with equality, mongos asks one shard"})");
}

TEST(describe, what_a_verdict_doesnt_have_is_null) {
  const json_command ping{R"({"ping":1,"$db":"ad\"min"})"};
  verdict made;
  made.command = command_kind::ping;
  made.routing = routing_class::not_routed;
  made.database = "ad\"min";
  lent_scratch lent;
  EXPECT_EQ(verdict_json(made, ping.command(), *three_shards(), lent.memory()),
            R"({"ns":"ad\"min","command":"ping","routing":"not_routed","bounds":null,)"
            R"("reason":null,"missing":[],"fanout":null,"sent_to":null,"refused":null,)"
            R"("shapeHash":")" +
                hash_of_shape(ping.command()) + R"(","shape":{},"suggestion":null})");
}

TEST(describe, sent_to_and_refused_and_a_finding_next_to_the_class_are_shown) {
  const auto entries = three_shards();
  const json_command update{R"({"update":"changes","updates":[],"$db":"yorkie-meta"})"};
  std::array<std::uint64_t, 1> one{0b010};
  std::array<std::uint64_t, 1> all{0b111};
  verdict made = scatter_of(entries->collections().front(), reason::none, 0);
  made.routing = routing_class::single_shard;
  made.bounds = bounds_kind::point;
  made.fanout = shard_set{one};
  made.sent_to = shard_set{all};
  made.refused = refusal::illegal_operation;
  made.lint = lint_kind::shard_key_update;
  lent_scratch lent;
  const std::string json = verdict_json(made, update.command(), *entries, lent.memory());
  EXPECT_NE(json.find(R"("bounds":"point","reason":"shard_key_update","missing":[],)"
                      R"("fanout":["shard2"],"sent_to":["shard1","shard2","shard3"],)"
                      R"("refused":"IllegalOperation")"),
            std::string::npos)
      << json;
  EXPECT_TRUE(json.ends_with(R"(,"lints":["shard_key_update"]})")) << json;
}

TEST(describe, a_lint_stands_next_to_the_reason_of_the_class) {
  const auto entries = three_shards();
  const json_command find{R"({"find":"changes","filter":{"_id":1},"$db":"yorkie-meta"})"};
  verdict made = scatter_of(entries->collections().front(), reason::missing_key, 1);
  made.lint = lint_kind::ambiguous_id;
  lent_scratch lent;
  const std::string json = verdict_json(made, find.command(), *entries, lent.memory());
  EXPECT_NE(json.find(R"("reason":"missing_key",)"), std::string::npos) << json;
  EXPECT_TRUE(json.ends_with(R"(,"lints":["ambiguous_id"]})")) << json;
  made.refused = refusal::shard_key_not_found;
  EXPECT_EQ(verdict_line(made, find.command(), *entries),
            "scatter_gather  yorkie-meta.changes  find  reason: missing_key  missing: doc_id  "
            "refused: ShardKeyNotFound  lint: ambiguous_id  do: add equality on doc_id (the "
            "shard key) to the filter: mongos rejects the command without the full shard key");
}

TEST(describe,
     a_line_for_people_has_class_namespace_command_reason_missing_fan_out_and_advice) {
  const auto entries = three_shards();
  const json_command find{R"({"find":"changes","filter":{"b":1},"$db":"yorkie-meta"})"};
  std::array<std::uint64_t, 1> words{0b101};
  verdict made = scatter_of(entries->collections().front(), reason::missing_key, 1);
  made.fanout = shard_set{words};
  EXPECT_EQ(verdict_line(made, find.command(), *entries),
            "scatter_gather  yorkie-meta.changes  find  reason: missing_key  missing: doc_id  "
            "fan-out: 2 (shard1, shard3)  do: add equality or a range on doc_id (the shard "
            "key) to the filter: with equality, mongos asks one shard");
  made.why = reason::negation;
  made.hints.cause = reason::collation;  // its advice has quotes
  EXPECT_TRUE(verdict_line(made, find.command(), *entries)
                  .find(R"(the collation {locale: "simple"}, and use equality on doc_id)") !=
              std::string::npos);
  made.routing = routing_class::single_shard;
  made.why = reason::none;
  made.missing = 0;
  made.fanout.reset();
  EXPECT_EQ(verdict_line(made, find.command(), *entries),
            "single_shard    yorkie-meta.changes  find  fan-out: 1");
}

TEST(describe, a_line_for_people_shows_no_control_characters) {
  const json_command ping{R"({"ping":1,"$db":"admin"})"};
  verdict made;
  made.database = "\x1b[31m\xff";
  EXPECT_EQ(verdict_line(made, ping.command(), *three_shards()),
            "unknown         \\u001b[31m\xEF\xBF\xBD  other");
  made.database = "";
  EXPECT_EQ(verdict_line(made, ping.command(), *three_shards()), "unknown         -  other");
}

}  // namespace
}  // namespace scattergate::routing
