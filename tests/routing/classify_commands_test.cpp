#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"
#include "wire/command.hpp"

namespace scattergate::routing_tests {
namespace {

std::shared_ptr<const routing::catalog> commands_catalog(
    std::string_view unlisted = "unsharded") {
  return catalog_of(R"({"unlisted": ")" + std::string{unlisted} + R"(", "collections": [
    {"ns": "db.c", "key": {"p": 1}, "splits": [{"p": 10}, {"p": 20}]},
    {"ns": "db.local"}]})");
}

struct reason_row {
  std::string_view command;
  std::string_view why;
};

TEST(classify_commands, by_their_kind) {
  const reason_row rows[] = {
      {R"({"find": "c", "filter": {"p": 5}})", "single_shard "},
      {R"({"count": "c", "query": {"p": 5}})", "single_shard "},
      {R"({"count": "c"})", "scatter_gather missing_key"},
      {R"({"distinct": "c", "key": "x", "query": {"p": 5}})", "single_shard "},
      {R"({"mapReduce": "c", "query": {"p": 5}, "out": {"inline": 1}})", "single_shard "},
      {R"({"find": "local"})", "unsharded "},
      {R"({"find": "elsewhere"})", "unsharded "},
      {R"({"hello": 1})", "not_routed "},
      {R"({"ping": 1})", "not_routed "},
      {R"({"commitTransaction": 1})", "not_routed "},
      {R"({"listCollections": 1})", "not_routed "},
      {R"({"getMore": {"$numberLong": "5"}, "collection": "c"})", "unknown cursor_not_seen"},
      {R"({"killCursors": "c", "cursors": []})", "unknown cursor_not_seen"},
      {R"({"createIndexes": "c", "indexes": []})", "scatter_gather by_nature"},
      {R"({"createIndexes": "local", "indexes": []})", "unsharded "},
      // cluster_list_indexes_cmd.cpp: the shard of the first chunk, as nShards 1 in its log
      // says.
      {R"({"listIndexes": "c"})", "single_shard "},
      {R"({"listIndexes": "local"})", "unsharded "},
      {R"({"listSearchIndexes": "c"})", "not_routed "},
      {R"({"analyzeShardKey": "db.c", "key": {"x": 1}, "$db": "admin"})", "not_routed "},
      {R"({"configureQueryAnalyzer": "db.c", "mode": "off", "$db": "admin"})", "not_routed "},
      {R"({"changePrimary": "db", "to": "1", "$db": "admin"})", "not_routed "},
      {R"({"rewriteCollection": "db.c", "$db": "admin"})", "not_routed "},
      {R"({"drop": "c"})", "scatter_gather by_nature"},
      {R"({"renameCollection": "db.c", "to": "db.d", "$db": "admin"})",
       "scatter_gather by_nature"},
      {R"({"nonsense": 1})", "unknown unknown_command"},
      {R"({"explain": {"find": "c", "filter": {"p": 5}}})", "single_shard "},
      {R"({"explain": {"find": "c"}})", "scatter_gather missing_key"},
      {R"({"explain": 5})", "unknown unreadable"},
      {R"({"explain": {"explain": {"find": "c"}}})", "unknown unknown_command"},
  };
  for (const reason_row& each : rows) {
    EXPECT_EQ(judged(commands_catalog(), each.command).why(), each.why) << each.command;
  }
}

TEST(classify_commands, name_the_namespace_they_count_under) {
  const auto ns = [](std::string_view command) {
    const judged found{commands_catalog(), command};
    return std::string{found.verdict().database} + "." +
           std::string{found.verdict().collection};
  };
  EXPECT_EQ(ns(R"({"find": "c"})"), "db.c");
  EXPECT_EQ(ns(R"({"explain": {"find": "c"}})"), "db.c");
  EXPECT_EQ(ns(R"({"getMore": {"$numberLong": "5"}, "collection": "c"})"), "db.c");
  EXPECT_EQ(ns(R"({"renameCollection": "db.c", "to": "db.d", "$db": "admin"})"), "db.c");
  EXPECT_EQ(ns(R"({"ping": 1, "$db": "admin"})"), "admin.");
  EXPECT_EQ(ns(R"({"aggregate": 1, "pipeline": [], "$db": "admin"})"), "admin.");
  EXPECT_EQ(judged(commands_catalog(), R"({"explain": {"find": "c"}})").verdict().command,
            routing::command_kind::explain);
}

TEST(classify_commands, unlisted_namespaces_follow_the_catalogs_word) {
  EXPECT_EQ(judged(commands_catalog("unknown"), R"({"find": "elsewhere"})").why(),
            "unknown not_in_catalog");
  EXPECT_EQ(judged(commands_catalog("unknown"), R"({"drop": "elsewhere"})").why(),
            "unknown not_in_catalog");
  EXPECT_EQ(judged(commands_catalog("unknown"), R"({"ping": 1})").why(), "not_routed ");
}

TEST(classify_commands, an_entry_that_no_one_can_read_is_not_taken_for_unsharded) {
  routing::catalog_builder builder;
  routing::collection odd;
  odd.database = "db";
  odd.name = "odd";
  odd.is_unreadable = true;
  ASSERT_EQ(builder.add(odd), std::nullopt);
  ASSERT_EQ(builder.finish_collection(), std::nullopt);
  const auto catalog = builder.build();
  EXPECT_EQ(judged(catalog, R"({"find": "odd"})").why(), "unknown not_in_catalog");
  EXPECT_EQ(judged(catalog, R"({"drop": "odd"})").why(), "unknown not_in_catalog");
  EXPECT_EQ(judged(catalog, R"({"find": "other"})").why(), "unsharded ");
}

TEST(classify_commands, nothing_is_known_before_a_catalog_was_loaded) {
  const auto absent = routing::catalog::absent();
  EXPECT_EQ(judged(absent, R"({"find": "c"})").why(), "unknown no_catalog");
  EXPECT_EQ(judged(absent, R"({"insert": "c", "documents": [{}]})").why(),
            "unknown no_catalog");
  EXPECT_EQ(judged(absent, R"({"ping": 1})").why(), "not_routed ");
}

TEST(classify_commands, count_one_statement_each) {
  const judged found{commands_catalog(), R"({"find": "c", "filter": {"p": 5}})"};
  const auto& counts = found.verdict().statements;
  EXPECT_EQ(counts[static_cast<std::size_t>(routing::routing_class::single_shard)], 1U);
}

TEST(classify_commands, a_filter_nested_too_deep_is_unknown) {
  std::string condition = R"({"$gt": 5})";
  for (int i = 0; i < 220; ++i) condition = R"({"$not": )" + condition + "}";
  const std::string filter = R"({"p": )" + condition + "}";
  EXPECT_EQ(judged(commands_catalog(), R"({"find": "c", "filter": )" + filter + "}").why(),
            "unknown too_deep");
}

TEST(classify_commands, a_broken_filter_is_unreadable) {
  const tests::json_document whole{
      R"({"find": "c", "filter": {"p": {"$gt": 5}}, "$db": "db"})"};
  const auto bytes = whole.view().bytes();
  std::vector<std::byte> copy{bytes.begin(), bytes.end()};
  const std::string_view sought{"$gt"};
  const auto name = std::as_bytes(std::span{sought.data(), sought.size()});
  const auto at = std::search(copy.begin(), copy.end(), name.begin(), name.end());
  *(at - 1) = std::byte{0x42};  // no such type
  const auto given = wire::command_of(wire::document_view::from(copy).value());
  ASSERT_TRUE(given.has_value());
  std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  const auto verdict = routing::classify(*given, *commands_catalog(), memory);
  EXPECT_EQ(verdict.why, routing::reason::unreadable);
}

std::string long_list(int count) {
  std::string list = "[";
  for (int i = 0; i < count; ++i) list += (i > 0 ? "," : "") + std::to_string(i * 7 % 19);
  return list + "]";
}

TEST(classify_commands, an_exhausted_scratch_widens_and_says_so) {
  const std::string find = R"({"find": "c", "filter": {"p": {"$in": )" + long_list(500) + "}}}";
  const judged roomy{commands_catalog(), find};
  EXPECT_EQ(roomy.where(), "multi_shard 0,1");
  EXPECT_FALSE(roomy.verdict().widened);
  const judged cramped{commands_catalog(), find, 1024};
  EXPECT_TRUE(cramped.verdict().widened);
  EXPECT_EQ(cramped.where(), "multi_shard 0,1");  // from the least to the greatest
  const judged none{commands_catalog(), find, 64};
  EXPECT_TRUE(none.verdict().widened);
  EXPECT_EQ(none.verdict().routing, routing::routing_class::scatter_gather);
}

}  // namespace
}  // namespace scattergate::routing_tests
