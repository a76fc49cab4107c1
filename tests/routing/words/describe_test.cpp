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

struct advice {
  reason why;
  std::uint64_t missing;
  command_kind command;
  std::string text;
};

TEST(suggestion, names_the_field_and_its_place_in_the_key) {
  const collection on = clients();
  const std::string first = "project_id (1st of 2 shard key fields)";
  const advice cases[] = {
      {reason::missing_key, 3, command_kind::find,
       "add equality on " + first +
           " to the filter so that mongos need not ask every shard; with _id as well it asks "
           "one"},
      {reason::missing_key, 1, command_kind::count,
       "add equality on " + first + " to the query so that mongos need not ask every shard"},
      {reason::not_prefix, 1, command_kind::aggregate,
       "add equality on " + first +
           " to a $match at the head of the pipeline: what it says of later fields only counts "
           "behind the first"},
      {reason::no_leading_match, 3, command_kind::aggregate,
       "begin the pipeline with a $match that has equality on " + first +
           " so that mongos need not ask every shard"},
      {reason::write_without_key, 2, command_kind::update,
       "add equality on _id (2nd of 2 shard key fields, hashed) to the filter of every "
       "statement "
       "so that mongos can send the write to one shard"},
      {reason::write_without_key, 3, command_kind::find_and_modify,
       "add equality on " + first +
           " and _id (2nd of 2 shard key fields, hashed) to the query so that mongos can send "
           "the write to one shard"},
      {reason::foreign_scatter, 1, command_kind::aggregate,
       "in the stage that joins or writes yorkie-meta.clients, give " + first +
           " by equality (as foreignField, in its pipeline's $match, or in the on of a $merge) "
           "so that it need not reach every shard"},
      {reason::collation, 1, command_kind::find,
       "send the command with the collation {locale: \"simple\"}: under any other, strings "
       "for " +
           first + " narrow nothing"},
  };
  for (const advice& each : cases) {
    verdict made = scatter_of(on, each.why, each.missing);
    made.command = each.command;
    EXPECT_EQ(suggestion(made), each.text);
  }
}

TEST(suggestion, of_a_key_of_one_field_is_about_the_whole_key) {
  collection on = clients();
  on.key = {{.path = "doc_id", .hashed = true}};
  EXPECT_EQ(
      suggestion(scatter_of(on, reason::missing_key, 1)),
      "add equality on doc_id (the shard key, hashed) to the filter so that mongos can ask "
      "one shard");
  EXPECT_EQ(
      suggestion(scatter_of(on, reason::range_on_hashed, 1)),
      "give doc_id (the shard key, hashed) by equality or $in: no range or pattern narrows "
      "a hashed field");
}

TEST(suggestion, is_there_for_every_reason_to_scatter_but_nature) {
  const collection on = clients();
  for (auto i = static_cast<std::size_t>(reason::missing_key);
       i <= static_cast<std::size_t>(reason::not_indexable); ++i) {
    const auto why = static_cast<reason>(i);
    const std::string text = suggestion(scatter_of(on, why, 3));
    if (why == reason::by_nature) {
      EXPECT_EQ(text, "");
    } else {
      EXPECT_NE(text.find("project_id (1st of 2 shard key fields)"), std::string::npos)
          << label(why) << ": " << text;
    }
  }
}

TEST(suggestion, counts_fields_in_english) {
  collection on = clients();
  on.key.clear();
  for (int i = 0; i < 23; ++i) on.key.push_back({.path = "f" + std::to_string(i)});
  const std::pair<unsigned, std::string> cases[] = {
      {0, "1st"},   {1, "2nd"},   {2, "3rd"},   {3, "4th"},   {10, "11th"},
      {11, "12th"}, {12, "13th"}, {20, "21st"}, {21, "22nd"}, {22, "23rd"}};
  for (const auto& [field, place] : cases) {
    const auto made = scatter_of(on, reason::write_without_key, std::uint64_t{1} << field);
    EXPECT_NE(suggestion(made).find("f" + std::to_string(field) + " (" + place + " of 23"),
              std::string::npos)
        << suggestion(made);
  }
}

TEST(suggestion, of_a_narrowed_command_says_what_makes_it_one_shard) {
  const collection on = clients();
  verdict made = scatter_of(on, reason::partial_key, 2);
  made.routing = routing_class::multi_shard;
  EXPECT_EQ(
      suggestion(made),
      "add equality on _id (2nd of 2 shard key fields, hashed) to the filter so that mongos "
      "can ask one shard");
  made.why = reason::range;
  EXPECT_NE(suggestion(made).find(R"({"project_id":1,"_id":"hashed"})"), std::string::npos);
  made.why = reason::many_values;
  EXPECT_EQ(suggestion(made), "");
}

TEST(suggestion, of_a_finding_beside_the_class_stands_where_the_class_needs_none) {
  const collection on = clients();
  verdict made = scatter_of(on, reason::by_nature, 0);
  for (const auto lint : {lint_kind::unique_index_without_key, lint_kind::shard_key_update,
                          lint_kind::ambiguous_id, lint_kind::logical_shard_fanout}) {
    made.lint = lint;
    EXPECT_NE(suggestion(made).find("project_id"), std::string::npos) << label(lint);
  }
  made.why = reason::missing_key;
  EXPECT_TRUE(suggestion(made).starts_with("add equality on project_id")) << suggestion(made);
}

TEST(suggestion, of_a_refused_command_says_what_mongos_wants) {
  const collection on = clients();
  verdict made = scatter_of(on, reason::refused, 2);
  made.routing = routing_class::unknown;
  made.command = command_kind::update;
  made.refused = refusal::shard_key_not_found;
  EXPECT_EQ(suggestion(made),
            "add equality on _id (2nd of 2 shard key fields, hashed) to the filter of every "
            "statement: mongos refuses the command without the full shard key");
  made.command = command_kind::insert;
  made.missing = 0;
  EXPECT_EQ(suggestion(made), R"(insert no array on the path of the shard key )"
                              R"({"project_id":1,"_id":"hashed"}: mongos refuses it)");
}

TEST(suggestion, of_what_mongos_cant_read_says_what_to_mend) {
  const collection on = clients();
  verdict made = scatter_of(on, reason::refused, 0);
  made.routing = routing_class::unknown;
  const std::pair<refusal, std::string> cases[] = {
      {refusal::bad_value, "mend the filter"},
      {refusal::invalid_pipeline_operator, "mend the $expr"},
      {refusal::expression_form, "mend the $expr"},
      {refusal::unrecognized_stage, "mend the pipeline"},
      {refusal::stage_form, "mend the pipeline"},
      {refusal::sharded_foreign, "name a collection that isn't sharded"},
      {refusal::no_measurement_time, "give each measurement a date"},
      {refusal::failed_to_parse, "mend the update"},
      {refusal::invalid_options, "replace one document at a time"}};
  for (const auto& [refused, start] : cases) {
    made.refused = refused;
    EXPECT_TRUE(suggestion(made).starts_with(start)) << label(refused);
  }
}

TEST(suggestion, lists_several_fields_in_one_breath) {
  collection on = clients();
  on.key = {{.path = "a"}, {.path = "b"}, {.path = "c"}};
  verdict made = scatter_of(on, reason::write_without_key, 7);
  EXPECT_EQ(
      suggestion(made),
      "add equality on a (1st of 3 shard key fields), b (2nd of 3 shard key fields) and c "
      "(3rd of 3 shard key fields) to the filter so that mongos can send the write to one "
      "shard");
  made.refused = refusal::invalid_options;
  EXPECT_TRUE(
      suggestion(made).ends_with(": mongos refuses the write without the full shard key"));
}

TEST(suggestion, is_empty_where_no_shard_key_is_concerned) {
  EXPECT_EQ(suggestion(verdict{}), "");
  verdict made = scatter_of(clients(), reason::missing_key, 1);
  made.judged = nullptr;
  made.lint = lint_kind::ambiguous_id;
  EXPECT_EQ(suggestion(made), "");
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
          R"("suggestion":"add equality on doc_id (the shard key) to the filter so that mongos )"
          R"(can ask one shard"})");
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

TEST(describe, sent_to_and_refused_and_a_finding_beside_the_class_are_shown) {
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

TEST(describe, a_lint_stands_beside_the_reason_of_the_class) {
  const auto entries = three_shards();
  const json_command find{R"({"find":"changes","filter":{"_id":1},"$db":"yorkie-meta"})"};
  verdict made = scatter_of(entries->collections().front(), reason::missing_key, 1);
  made.lint = lint_kind::ambiguous_id;
  lent_scratch lent;
  const std::string json = verdict_json(made, find.command(), *entries, lent.memory());
  EXPECT_NE(json.find(R"("reason":"missing_key",)"), std::string::npos) << json;
  EXPECT_TRUE(json.ends_with(R"(,"lints":["ambiguous_id"]})")) << json;
  made.refused = refusal::shard_key_not_found;
  EXPECT_EQ(verdict_line(made, *entries),
            "scatter_gather  yorkie-meta.changes  find  missing: doc_id  "
            "refused: ShardKeyNotFound  lint: ambiguous_id");
}

TEST(describe, a_line_for_people_has_class_namespace_command_missing_and_fan_out) {
  const auto entries = three_shards();
  std::array<std::uint64_t, 1> words{0b101};
  verdict made = scatter_of(entries->collections().front(), reason::missing_key, 1);
  made.fanout = shard_set{words};
  EXPECT_EQ(verdict_line(made, *entries),
            "scatter_gather  yorkie-meta.changes  find  missing: doc_id  "
            "fan-out: 2 (shard1, shard3)");
  made.routing = routing_class::single_shard;
  made.missing = 0;
  made.fanout.reset();
  EXPECT_EQ(verdict_line(made, *entries), "single_shard    yorkie-meta.changes  find");
}

TEST(describe, a_line_for_people_shows_no_control_characters) {
  verdict made;
  made.database = "\x1b[31m\xff";
  EXPECT_EQ(verdict_line(made, *three_shards()),
            "unknown         \\u001b[31m\xEF\xBF\xBD  other");
  made.database = "";
  EXPECT_EQ(verdict_line(made, *three_shards()), "unknown         -  other");
}

}  // namespace
}  // namespace scattergate::routing
