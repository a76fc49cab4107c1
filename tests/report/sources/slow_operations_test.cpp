#include "report/sources/slow_operations.hpp"

#include <initializer_list>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "report/sources/input.hpp"
#include "tests/report/sources/kept.hpp"
#include "wire/command.hpp"

namespace scattergate::report {
namespace {

class slow_operations_test : public testing::Test {
 protected:
  void read(std::string line) {
    const std::size_t size = line.size();
    line.append(input_lines::padding, ' ');
    operations.read(std::string_view{line}.substr(0, size), heard);
  }
  void read_attributes(const std::string& attributes, const std::string& more = {}) {
    read(R"({"t":{"$date":"2026-11-22T04:08:09.967+00:00"},"s":"I","c":"COMMAND","id":51803,)"
         R"("ctx":"conn1","msg":"Slow query","attr":{)" +
         attributes + "}" + more + "}");
  }
  /// Its last command's name, namespace and body's field, "find shop.orders filter".
  std::string last(std::string_view field) {
    if (heard.commands.empty()) return "none";
    const auto body = wire::document_view::from(heard.commands.back().command);
    const auto command = wire::command_of(*body);
    const bool has_it = wire::find_field(*body, field).has_value();
    return std::string{command->name} + " " + command->ns().full_name() +
           (has_it ? " " + std::string{field} : "");
  }

  slow_operations operations;
  kept heard;
};

TEST_F(slow_operations_test, reads_what_a_mongos_logs) {
  read_attributes(
      R"("type":"command","ns":"shop.orders","appName":"web","command":{"find":"orders",)"
      R"("filter":{"customer":7},"comment":"a.py:1","lsid":{"id":1},"$clusterTime":{},)"
      R"("$db":"shop"},"nShards":3,"remote":"10.0.0.1:5","durationMillis":12)");
  EXPECT_EQ(last("filter"), "find shop.orders filter");
  const observation& seen = heard.commands.at(0);
  EXPECT_EQ(seen.shards, 3U);
  EXPECT_EQ(seen.duration, std::chrono::milliseconds{12});
  EXPECT_EQ(seen.who.app_name, "web");
  EXPECT_EQ(seen.who.remote, "10.0.0.1");
  EXPECT_EQ(seen.who.comment, "a.py:1");
  EXPECT_EQ(seen.at, digest::wall_time{std::chrono::milliseconds{1795320489967}});
  EXPECT_FALSE(seen.is_error);
  EXPECT_EQ(last("lsid"), "find shop.orders");
  EXPECT_EQ(operations.kind(), source_kind::mongos_log);
}

TEST_F(slow_operations_test, reads_how_a_command_was_run_where_that_is_said) {
  const std::string find =
      R"("type":"command","ns":"shop.orders","command":{"find":"orders","$db":"shop"},)";
  read_attributes(find + R"("planSummary":"IXSCAN { a: 1 }","docsExamined":41,"reslen":4329)");
  EXPECT_EQ(heard.commands.back().docs_examined, 41U);
  EXPECT_EQ(heard.commands.back().reply_bytes, 4'329U);
  EXPECT_EQ(heard.commands.back().plan, "IXSCAN { a: 1 }");
  read_attributes(find + R"("docsExamined":{"$numberLong":"-3"},"responseLength":7)");
  EXPECT_EQ(heard.commands.back().docs_examined, std::nullopt);
  EXPECT_EQ(heard.commands.back().reply_bytes, 7U);
  read_attributes(find + R"("nShards":1)");
  EXPECT_EQ(heard.commands.back().docs_examined, std::nullopt);
  EXPECT_EQ(heard.commands.back().plan, "");
}

TEST_F(slow_operations_test, names_errors_as_mongodb_does) {
  const std::string find =
      R"("type":"command","ns":"shop.orders","command":{"find":"orders","$db":"shop"},"ok":0,)";
  for (const auto& [error, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"("errName":"Unauthorized","errCode":13)", "Unauthorized"},
           {R"("errName":61,"errCode":61)", "ShardKeyNotFound"},  // as early 4.4 has it
           {R"("errName":40324,"errCode":40324)", "Location40324"},
           {R"("errCode":{"$numberInt":"50"})", "MaxTimeMSExpired"},
           {R"("errCode":-5)", "Location-5"}}) {
    read_attributes(find + error);
    EXPECT_TRUE(heard.commands.back().is_error) << error;
    EXPECT_EQ(heard.commands.back().error_name, name) << error;
  }
}

TEST_F(slow_operations_test, takes_a_mongods_statements_for_batches_of_one) {
  read_attributes(
      R"("type":"update","ns":"shop.a.b","command":{"q":{"_id":1},"u":{"$set":{"x":1}},)"
      R"("multi":false},"locks":{},"durationMillis":0)");
  EXPECT_EQ(last("updates"), "none");  // until it is clear whose log it is
  operations.finish(heard);
  EXPECT_EQ(last("updates"), "update shop.a.b updates");
  EXPECT_FALSE(heard.commands.back().is_shard_request);
  read_attributes(R"("type":"remove","ns":"shop.c","command":{"q":{},"limit":0},"locks":{})");
  EXPECT_EQ(last("deletes"), "delete shop.c deletes");
  EXPECT_EQ(operations.kind(), source_kind::mongod_log);
}

TEST_F(slow_operations_test, takes_a_shards_lines_for_shard_requests) {
  read_attributes(
      R"("type":"update","ns":"shop.c","command":{"q":{"_id":1},"u":{"$set":{"x":1}}},"locks":{})");
  EXPECT_TRUE(heard.commands.empty());
  read_attributes(
      R"("type":"command","ns":"shop.c","command":{"update":"c","shardVersion":[1],)"
      R"("$db":"shop"},"locks":{})");
  ASSERT_EQ(heard.commands.size(), 1U);
  EXPECT_TRUE(heard.commands[0].is_shard_request);  // its statement, which came before
  for (const std::string sender :
       {R"("databaseVersion":{"lastMod":1})", R"("fromMongos":true)", R"("fromRouter":true)",
        R"("$client":{"driver":{},"mongos":{"host":"m"}})"}) {
    read_attributes(R"("type":"command","ns":"shop.c","command":{"find":"c",)" + sender +
                    R"(,"$db":"shop"},"locks":{})");
    EXPECT_TRUE(heard.commands.back().is_shard_request) << sender;
  }
  read_attributes(
      R"("type":"command","ns":"shop.c","command":{"find":"c","$client":{"driver":{}},)"
      R"("fromMongos":false,"$db":"shop"},"locks":{})");
  EXPECT_FALSE(heard.commands.back()
                   .is_shard_request);  // of a client that connects to the shard directly
}

TEST_F(slow_operations_test, takes_a_replica_sets_statements_for_commands) {
  read_attributes(
      R"("type":"update","ns":"shop.c","command":{"q":{"_id":1},"u":{"$set":{"x":1}}},"locks":{})");
  read_attributes(
      R"("type":"command","ns":"shop.c","command":{"update":"c","$db":"shop"},"locks":{})");
  ASSERT_EQ(heard.commands.size(), 1U);
  EXPECT_FALSE(heard.commands[0].is_shard_request);
}

TEST_F(slow_operations_test, know_the_threshold_where_nothing_was_faster) {
  const auto took = [&](int millis) {
    read_attributes(R"("type":"command","ns":"a.b","command":{"find":"b","$db":"a"},)"
                    R"("durationMillis":)" +
                    std::to_string(millis));
  };
  EXPECT_EQ(operations.threshold(), std::nullopt);
  took(100);
  took(250);
  EXPECT_EQ(operations.threshold(), std::chrono::milliseconds{100});
  took(99);
  EXPECT_EQ(operations.threshold(), std::nullopt);
}

TEST_F(slow_operations_test, counts_no_mongods_batch_next_to_its_statements) {
  read_attributes(
      R"("type":"command","ns":"shop.c","command":{"update":"c","$db":"shop"},"locks":{})");
  EXPECT_TRUE(heard.commands.empty());
  EXPECT_EQ(heard.skipped[skip_reason::logged_by_statement], 1);
}

TEST_F(slow_operations_test, reports_a_batch_of_mongos_that_lacks_its_statements) {
  read_attributes(
      R"("type":"command","ns":"shop.c","command":{"update":"c","$db":"shop"},"nShards":6)");
  EXPECT_EQ(last("updates"), "update shop.c");
  EXPECT_EQ(heard.commands.at(0).shards, 6U);
}

TEST_F(slow_operations_test, judges_nothing_that_was_cut_or_redacted) {
  read_attributes(
      R"("type":"command","ns":"a.b","command":{"find":"b","filter":{},"$db":"a"},"nShards":5)",
      R"(,"truncated":{"command":{"filter":{"x":{"type":"string","size":12005}}}},"size":{})");
  read(R"({"op":"insert","ns":"a.b","command":{"$truncated":"{ insert: "},"ts":)"
       R"({"$date":"2026-11-22T04:08:10.774Z"},"millis":1})");
  read_attributes(
      R"("type":"command","ns":"a.b","command":{"find":"b","filter":{"x":"###"},"$db":"a"})");
  EXPECT_TRUE(heard.commands.empty());
  EXPECT_EQ(heard.skipped[skip_reason::truncated], 2);
  EXPECT_EQ(heard.skipped[skip_reason::redacted], 1);
}

TEST_F(slow_operations_test, knows_what_opened_a_getMores_cursor) {
  read_attributes(
      R"("type":"command","ns":"shop.orders","command":{"getMore":5,"collection":"orders",)"
      R"("$db":"shop"},"originatingCommand":{"find":"orders","filter":{"a":1},"$db":"shop"},)"
      R"("nShards":2)");
  ASSERT_EQ(heard.commands.size(), 1U);
  const auto origin = wire::document_view::from(heard.commands.at(0).origin);
  EXPECT_EQ(wire::command_of(*origin)->name, "find");
}

TEST_F(slow_operations_test, reads_documents_of_system_profile) {
  read(R"({"op":"query","ns":"shop.orders","command":{"find":"orders","filter":{"a":1},)"
       R"("$db":"shop"},"locks":{},"millis":7,"ts":{"$date":"2026-11-22T04:08:10.774Z"},)"
       R"("client":"127.0.0.1","appName":"web","user":"bob@admin"})");
  EXPECT_EQ(last("filter"), "find shop.orders filter");
  EXPECT_EQ(heard.commands.at(0).who.user, "bob@admin");
  EXPECT_EQ(heard.commands.at(0).duration, std::chrono::milliseconds{7});
  EXPECT_EQ(operations.kind(), source_kind::profile);
}

TEST_F(slow_operations_test, reports_errors_and_keeps_mongodbs_own_hash) {
  read_attributes(
      R"("type":"command","ns":"a.b","command":{"find":"b","$db":"a"},"queryShapeHash":"AB8E",)"
      R"("ok":0,"errMsg":"no","errName":"BadValue","errCode":2)");
  EXPECT_TRUE(heard.commands.at(0).is_error);
  EXPECT_EQ(heard.commands.at(0).query_shape_hash, "AB8E");
}

TEST_F(slow_operations_test, leaves_out_what_is_no_command_of_an_application) {
  read(
      R"({"t":{"$date":"2026-11-22T04:08:09.967+00:00"},"msg":"Connection accepted","attr":{}})");
  read_attributes(R"("type":"none","ns":"admin.$cmd")");
  read_attributes(R"("type":"command","ns":"a.$cmd","command":{"_configsvrX":1,"$db":"a"})");
  read_attributes(R"("type":"command","ns":"a.$cmd","command":{"saslStart":1,"$db":"a"})");
  EXPECT_TRUE(heard.commands.empty());
  EXPECT_EQ(heard.skipped[skip_reason::not_a_command], 2);
  EXPECT_EQ(heard.skipped[skip_reason::internal], 1);
  EXPECT_EQ(heard.skipped[skip_reason::sensitive], 1);
}

TEST_F(slow_operations_test, takes_any_time_for_what_the_clock_can_have) {
  for (const char* at : {"9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"}) {
    for (const char* took : {"9223372036854775807", "-9223372036854775808"}) {
      read(R"({"op":"query","ns":"a.b","command":{"find":"b","$db":"a"},"millis":)" +
           std::string{took} + R"(,"ts":{"$date":")" + at + R"("}})");
      EXPECT_FALSE(heard.commands.back().at);
      EXPECT_GE(heard.commands.back().duration, std::chrono::nanoseconds{0});
    }
  }
  EXPECT_EQ(heard.commands.size(), 4U);
}

TEST_F(slow_operations_test, survives_any_line) {
  for (const char* line :
       {"", "{", "[]", "5", R"({"t":5})", R"({"t":{"$date":1},"msg":"Slow query","attr":[]})",
        R"({"t":{"$date":"2026"},"msg":5})", "\xff\xfe", R"({"op":"x","ns":5})",
        R"({"op":"x","ns":"a","command":{"find":"b","filter":{"$oid":5}}})",
        R"({"op":"query","ns":"a.b","command":{"find":"b"},"millis":"x"})"}) {
    read(line);
  }
  EXPECT_TRUE(heard.commands.empty());
  EXPECT_EQ(heard.skipped[skip_reason::unreadable] + heard.skipped[skip_reason::not_a_command],
            11);
}

}  // namespace
}  // namespace scattergate::report
