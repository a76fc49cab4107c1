#include "report/sources/own_documents.hpp"

#include <gtest/gtest.h>

#include "digest/finding.hpp"
#include "digest/table.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/sources/input.hpp"
#include "telemetry/audit/audit_line.hpp"

namespace scattergate::report {
namespace {

telemetry::shape_delta finding() {
  auto details = std::make_shared<telemetry::shape_details>();
  details->database = "shop";
  details->collection = "orders";
  details->command = routing::command_kind::find;
  details->shape_hash = 0xb5552500e10fa16d;
  details->what.routing = routing::routing_class::scatter_gather;
  details->what.bounds = routing::bounds_kind::full;
  details->what.why = routing::reason::missing_key;
  details->what.shard_key_json = R"({"customer":1})";
  details->what.missing = {"customer"};
  details->what.shape_json = R"({"filter":{"status":"?string"}})";
  details->shards = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"s0", "s1", "s2"});
  details->action = telemetry::finding_action::observed;
  details->what.suggestion = "add it";
  details->what.statement = 3;
  telemetry::shape_delta delta;
  delta.details = details;
  delta.fanout = {0b111};
  delta.count = 7;
  delta.total = std::chrono::milliseconds{70};
  delta.longest = std::chrono::milliseconds{30};
  delta.who.add({"web", "PyMongo", "bob", "10.0.0.1", "a.py:1", 5});
  delta.who.add_others(2);
  return delta;
}

void read_audit_line(std::string line, observer& to) {
  const std::size_t size = line.size();
  line.append(input_lines::padding, ' ');
  audit_lines lines;
  lines.read(std::string_view{line}.substr(0, size), to);
}

telemetry::shape_delta finding_with(telemetry::finding_action action) {
  telemetry::shape_delta delta = finding();
  auto details = std::make_shared<telemetry::shape_details>(*delta.details);
  details->action = action;
  details->rule = "housekeeping";
  details->rule_why = "rare";
  delta.details = details;
  return delta;
}

TEST(audit_lines, report_what_a_rule_accepted) {
  digest::table table{10};
  digest_builder builder{routing::catalog::absent(), table};
  read_audit_line(
      telemetry::audit_line(finding_with(telemetry::finding_action::accepted), "{}", {}),
      builder);
  const digest::row& row = *table.ranked().front();
  EXPECT_EQ(digest::accepted_count(row), 7U);
  EXPECT_TRUE(digest::is_accepted(row));
  ASSERT_EQ(row.run.accepted_by.all().size(), 1U);
  EXPECT_EQ(row.run.accepted_by.all()[0].text, "housekeeping: rare");
  EXPECT_EQ(row.shards.wasted, 14U);
  read_audit_line(telemetry::audit_line(finding(), "{}", {}), builder);
  EXPECT_FALSE(digest::is_accepted(row)) << "7 of its 14 commands weren't accepted";
}

TEST(audit_lines, count_no_shards_for_rejected_commands) {
  digest::table table{10};
  digest_builder builder{routing::catalog::absent(), table};
  read_audit_line(
      telemetry::audit_line(finding_with(telemetry::finding_action::rejected), "{}", {}),
      builder);
  const digest::row& row = *table.ranked().front();
  EXPECT_EQ(row.shards.commands, 7U);
  EXPECT_EQ(row.shards.asked, 0U);
  EXPECT_EQ(row.shards.wasted, 0U);
}

TEST(audit_lines, come_back_as_they_were_written) {
  digest::table table{10};
  digest_builder builder{routing::catalog::absent(), table};
  const auto when = std::chrono::system_clock::time_point{std::chrono::seconds{1'700'000'000}};
  read_audit_line(telemetry::audit_line(finding(), "{}", when), builder);
  read_audit_line(telemetry::audit_line(finding(), "{}", when + std::chrono::hours{1}),
                  builder);
  ASSERT_EQ(table.size(), 1U);
  const digest::row& row = *table.ranked().front();
  EXPECT_EQ(row.name_space(), "shop.orders");
  EXPECT_EQ(row.command, "find");
  EXPECT_EQ(row.shape_hash, 0xb5552500e10fa16d);
  EXPECT_EQ(row.what.routing, routing::routing_class::scatter_gather);
  EXPECT_EQ(row.what.why, routing::reason::missing_key);
  EXPECT_EQ(row.what.shape_json, R"({"filter":{"status":"?string"}})");
  EXPECT_EQ(row.what.missing, std::vector<std::string>{"customer"});
  EXPECT_EQ(row.what.statement, 3U);
  EXPECT_EQ(row.count, 14U);
  EXPECT_EQ(row.shards.wasted, 28U);
  EXPECT_EQ(row.total, std::chrono::milliseconds{140});
  EXPECT_EQ(row.longest, std::chrono::milliseconds{30});
  EXPECT_EQ(row.who.all().front().count, 10U);
  EXPECT_EQ(row.who.others(), 4U);
  EXPECT_EQ(*row.last_seen - *row.first_seen, std::chrono::hours{1});
  EXPECT_EQ(builder.of_source().observations, 14U);
}

TEST(audit_lines, survive_any_line) {
  digest::table table{10};
  digest_builder builder{routing::catalog::absent(), table};
  for (const char* line : {"", "{", "[]", "{}", R"({"param":5})", "\xff"}) {
    read_audit_line(line, builder);
  }
  EXPECT_EQ(builder.of_source().skipped[static_cast<std::size_t>(skip_reason::unreadable)], 6U);
  read_audit_line(R"({"param":{"count":-5,"callers":[5,{"count":"x"}],"fanout":5}})", builder);
  EXPECT_EQ(table.all().commands, 0U);
  read_audit_line(R"({"ts":{"$date":"9999-12-31T23:59:59Z"},"param":{"count":1e300,)"
                  R"("durationMillis":{"total":1e300,"max":-1e300}}})",
                  builder);
  EXPECT_GT(table.all().commands, 0U);
  EXPECT_FALSE(table.all().to);
}

TEST(audit_lines, keep_no_shape_that_no_proxy_writes) {
  digest::table table{10};
  digest_builder builder{routing::catalog::absent(), table};
  read_audit_line(R"({"param":{"shape":{")" + std::string(10'000, 'x') + R"(":1},"count":1}})",
                  builder);
  EXPECT_EQ(table.ranked().front()->what.shape_json, "");
  read_audit_line(R"({"param":{"shape":{ "a" : "\u202e" },"count":1,"shapeHash":"1"}})",
                  builder);
  EXPECT_EQ(table.ranked().at(1)->what.shape_json, R"({"a":"\u202e"})");
}

}  // namespace
}  // namespace scattergate::report
