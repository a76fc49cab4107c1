#include "digest/words.hpp"

#include <gtest/gtest.h>

#include "digest/json.hpp"

namespace scattergate::digest {
namespace {

row of(std::string command, std::string shape) {
  row made;
  made.database = "shop";
  made.collection = "orders";
  made.command = std::move(command);
  made.shape_hash = 0xb5552500e10fa16d;
  made.what.shape_json = std::move(shape);
  return made;
}

TEST(explain_text, has_values_of_the_placeholders_types) {
  EXPECT_EQ(
      explain_text(of("find", R"({"filter":{"a":"?objectId","b":{"$in":"?array<?number>"}}})")),
      R"(db.getSiblingDB("shop").runCommand({explain: {find: "orders", "filter":{"a":)"
      R"(ObjectId("000000000000000000000000") /*?objectId*/,"b":{"$in":[0 /*?number*/]}}}, )"
      R"(verbosity: "queryPlanner"}))");
  EXPECT_EQ(explain_text(of("count", "{}")),
            R"(db.getSiblingDB("shop").runCommand({explain: {count: "orders"}, verbosity: )"
            R"("queryPlanner"}))");
}

TEST(explain_text, gives_an_aggregate_its_cursor) {
  EXPECT_NE(explain_text(of("aggregate", R"({"pipeline":[]})")).find(", cursor: {}}"),
            std::string::npos);
}

TEST(explain_text, leaves_names_alone) {
  const std::string text = explain_text(of("find", R"({"filter":{"?number":"?string"}})"));
  EXPECT_NE(text.find(R"("?number":"" /*?string*/)"), std::string::npos) << text;
}

TEST(explain_text, is_empty_where_it_would_not_be_the_command) {
  EXPECT_EQ(explain_text(of("insert", R"({"documents":"?documents"})")), "");
  EXPECT_EQ(explain_text(of("getMore", "{}")), "");
  EXPECT_EQ(explain_text(of("find", R"({"filter":{"a":1,"...":true}})")), "");
  EXPECT_EQ(explain_text(of("update", R"({"statements":"not logged"})")), "");
}

TEST(accept_rule, is_yaml_that_names_the_shape) {
  EXPECT_EQ(accept_rule(of("find", "{}")),
            R"(- {name: accept-b5552500e10fa16d, match: {namespace: "shop.orders", )"
            R"(shape: b5552500e10fa16d}, action: accept, why: "TODO"})");
}

TEST(accept_rule, names_command_and_class_where_a_daemon_sees_another_shape) {
  EXPECT_EQ(accept_rule(of("update", R"({"statements":"not logged"})")),
            R"(- {name: accept-b5552500e10fa16d, match: {namespace: "shop.orders", )"
            R"(command: update, routing: scatter_gather}, action: accept, why: "TODO"})");
  row made = of("find", "{}");
  made.database = "test-*";
  EXPECT_EQ(accept_rule(made),
            R"(- {name: accept-b5552500e10fa16d, match: {namespace: "test-*.orders", )"
            R"(command: find, routing: scatter_gather}, action: accept, why: "TODO"})");
  EXPECT_EQ(explain_text(made), "");  // of no one database
  made.database = "shop";
  made.collection = "orders-*";
  EXPECT_EQ(explain_text(made), "");
}

TEST(accept_rule, names_no_namespace_where_the_command_may_be_a_finding_in_several) {
  EXPECT_EQ(accept_rule(of("aggregate", "{}")),
            R"(- {name: accept-b5552500e10fa16d, match: {command: aggregate, )"
            R"(shape: b5552500e10fa16d}, action: accept, why: "TODO"})");
}

TEST(accept_rule, is_none_of_what_can_be_no_finding) {
  for (const char* const command :
       {"getMore", "explain", "collStats", "createIndexes", "ping"}) {
    EXPECT_EQ(accept_rule(of(command, "{}")), "") << command;
  }
}

TEST(times_text, has_no_quantiles_of_a_sum) {
  row made;
  sighting seen;
  seen.count = 1'000;
  seen.duration = std::chrono::seconds{5};
  seen.longest = std::chrono::milliseconds{40};
  made.count_in(seen, routing::routing_class::single_shard);
  EXPECT_EQ(times_text(made), "longest 40.0 ms, in all 5.00 s");
  std::string durations;
  text::json_writer json{durations};
  json.object();
  append_durations(json, "ms", made);
  json.end();
  EXPECT_EQ(durations,
            R"({"ms":{"total":5000.000,"max":40.000,"p50":null,"p95":null,"p99":null}})");
}

TEST(waste_of, is_unknown_only_where_shard_requests_might_have_been_wasted) {
  using enum routing::routing_class;
  row made;
  sighting seen;
  seen.count = 7;
  EXPECT_EQ(waste_of(made), std::nullopt);
  made.count_in(seen, not_routed);
  EXPECT_EQ(waste_of(made), std::nullopt);
  made.count_in(seen, unsharded);
  EXPECT_EQ(waste_of(made), 0);
  made.count_in(seen, scatter_gather);
  EXPECT_EQ(waste_of(made), std::nullopt);
  seen.fanout = 3;
  made.count_in(seen, scatter_gather);
  EXPECT_EQ(waste_of(made), 14);
}

TEST(times_text, is_no_finer_than_a_log) {
  row made;
  sighting seen;
  seen.resolution = std::chrono::milliseconds{1};
  for (const int millis : {0, 0, 0, 7}) {
    seen.duration = std::chrono::milliseconds{millis};
    made.count_in(seen, routing::routing_class::single_shard);
  }
  EXPECT_EQ(times_text(made), "median < 1.0 ms, p95 7.0 ms, longest 7.0 ms, in all 7.0 ms");
  EXPECT_EQ(times_text(row{}), "");
}

TEST(missing_text, has_commas_between_fields) {
  row of;
  EXPECT_EQ(missing_text(of), "");
  of.what.missing = {"project_id", "_id"};
  EXPECT_EQ(missing_text(of), "project_id, _id");
}

TEST(caller_lines, counts_each_and_the_indistinct_ones) {
  EXPECT_TRUE(caller_lines({}).empty());
  callers of;
  of.add({.app_name = "shop", .count = 1'000});
  of.add_others(2);
  EXPECT_EQ(caller_lines(of), (std::vector<std::string>{"1,000 × shop", "2 × others"}));
}

TEST(caller_text, says_what_is_known_of_it) {
  EXPECT_EQ(caller_text({}), "");
  EXPECT_EQ(caller_text({.app_name = "shop", .remote = "10.0.0.0/24", .comment = "a.go:3"}),
            "shop 10.0.0.0/24 a.go:3");
}

TEST(digest_words, no_quantile_is_longer_than_the_longest) {
  row of;
  sighting seen;
  for (const int micros : {200, 210, 233}) {
    seen.duration = std::chrono::microseconds{micros};
    of.count_in(seen, routing::routing_class::single_shard);
  }
  for (const double share : {0.5, 0.95, 0.99}) {
    EXPECT_LE(quantile(of, share), of.longest);
    EXPECT_GE(quantile(of, share), std::chrono::microseconds{180});
  }
}

}  // namespace
}  // namespace scattergate::digest
