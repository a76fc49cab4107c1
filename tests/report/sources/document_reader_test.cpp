#include "report/sources/document_reader.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "config/text/extended_json.hpp"
#include "report/sources/digest_builder.hpp"
#include "report/sources/input.hpp"
#include "tests/report/sources/kept.hpp"
#include "wire/command.hpp"

namespace scattergate::report {
namespace {

constexpr const char* running =
    R"({"type":"op","host":"vm:28117","desc":"conn1711","connectionId":1711,)"
    R"("client":"127.0.0.1:57096","appName":"recorder","active":true,)"
    R"("currentOpTime":"2026-11-22T04:08:10.754+00:00","effectiveUsers":[{"user":"u","db":"a"}],)"
    R"("opid":{"$numberInt":"146747"},"secs_running":{"$numberLong":"0"},)"
    R"("microsecs_running":{"$numberLong":"1074"},"op":"query","ns":"shop.orders",)"
    R"("command":{"find":"orders","filter":{"a":1},"lsid":{},"$db":"shop"},"numYields":0})";
constexpr const char* idle =
    R"({"type":"op","host":"vm:28117","desc":"mongosMain","active":true,)"
    R"("currentOpTime":"2026-11-22T04:08:10.754+00:00","opid":1,"op":"none","ns":"",)"
    R"("command":{},"numYields":0})";
constexpr const char* profiled =
    R"({"_id":1,"op":"query","ns":"shop.orders","command":{"find":"orders","filter":{"a":1},)"
    R"("$db":"shop"},"millis":3,"ts":{"$date":"2026-11-22T04:08:10.754Z"}})";
constexpr const char* query_stats =
    R"({"_id":1,"key":{"queryShape":{"cmdNs":{"db":"shop","coll":"orders"},"command":"find",)"
    R"("filter":{"a":{"$eq":"?number"}}}},"metrics":{"execCount":3}})";
constexpr const char* plain_command = R"({"find":"orders","filter":{"a":1},"$db":"shop"})";

struct one {
  const char* document;
  source_kind kind;
};
const one each_kind[] = {
    {running, source_kind::profile},
    {profiled, source_kind::profile},
    {query_stats, source_kind::query_stats},
    {plain_command, source_kind::commands},
};

void read(std::string text, document_reader& documents) {
  const std::size_t size = text.size();
  text.append(input_lines::padding, ' ');
  documents.read(std::string_view{text}.substr(0, size));
}

TEST(document_reader, detects_kinds_by_fields_in_json_and_in_bson) {
  for (const auto& [document, kind] : each_kind) {
    kept from_json;
    document_reader json{std::nullopt, from_json};
    read(document, json);
    kept from_bson;
    document_reader bson{std::nullopt, from_bson};
    bson.read(config::bson_of_json(document).value().view());
    for (const auto& [heard, name] : {std::pair{&from_json, "json"}, {&from_bson, "bson"}}) {
      ASSERT_EQ(heard->commands.size(), 1U) << name << document;
      const auto body = wire::document_view::from(heard->commands[0].command);
      EXPECT_EQ(wire::command_of(*body)->ns().full_name(), "shop.orders");
    }
    EXPECT_EQ(json.kind(), kind) << document;
    EXPECT_EQ(bson.kind(), kind) << document;
  }
}

TEST(document_reader, report_what_runs_now_since_when_and_for_whom) {
  kept heard;
  document_reader documents{std::nullopt, heard};
  read(running, documents);
  const observation& seen = heard.commands.at(0);
  EXPECT_EQ(seen.duration, std::chrono::microseconds{1074});
  EXPECT_EQ(seen.at, digest::wall_time{std::chrono::milliseconds{1795320490754}});
  EXPECT_EQ(seen.who.app_name, "recorder");
  EXPECT_EQ(seen.who.user, "u");
  EXPECT_EQ(seen.who.remote, "127.0.0.1");
  read(idle, documents);
  EXPECT_EQ(heard.skipped[skip_reason::not_a_command], 1);
}

TEST(document_reader, a_running_getMore_is_what_opened_its_cursor) {
  kept heard;
  document_reader documents{std::nullopt, heard};
  read(R"({"type":"op","opid":1,"op":"getmore","ns":"shop.orders","command":{"getMore":)"
       R"({"$numberLong":"5"},"collection":"orders","$db":"shop"},"cursor":{"cursorId":5,)"
       R"("originatingCommand":{"find":"orders","filter":{},"$db":"shop"}}})",
       documents);
  EXPECT_FALSE(heard.commands.at(0).origin.empty());
}

TEST(document_reader, a_reply_is_the_documents_in_it) {
  kept heard;
  document_reader documents{std::nullopt, heard};
  read(std::string{R"({"inprog":[)"} + running + "," + idle + R"(],"ok":1})", documents);
  read(std::string{R"({"cursor":{"id":0,"ns":"admin.$cmd","firstBatch":[)"} + query_stats +
           R"(]},"ok":1})",
       documents);
  EXPECT_EQ(heard.commands.size(), 2U);
  EXPECT_EQ(documents.kind(), source_kind::profile);
  read(R"({"cursor":{"id":0},"ok":1})", documents);
  read(R"({"inprog":[{"inprog":[]},5]})", documents);
  EXPECT_EQ(heard.skipped[skip_reason::unreadable], 3);
}

TEST(document_reader, a_kind_that_is_said_is_believed) {
  kept heard;
  document_reader documents{source_kind::query_stats, heard};
  read(plain_command, documents);
  EXPECT_EQ(heard.skipped[skip_reason::unreadable], 1);
  EXPECT_EQ(documents.kind(), source_kind::query_stats);
}

using routing::routing_class;

/// As the manual shows one (reference/operator/aggregation/queryStats).
std::string entry(const std::string& shape, const std::string& db = "shop") {
  return R"({"key":{"queryShape":{"cmdNs":{"db":")" + db + R"(","coll":"orders"},)" + shape +
         R"(},"client":{"driver":{"name":"nodejs|mongosh","version":"5.1.0"},)"
         R"("application":{"name":"web"}},"collectionType":"collection"},)"
         R"("keyHash":"dsoJ","queryShapeHash":"AB8ECADE","metrics":{"lastExecutionMicros":)"
         R"({"$numberLong":"4254"},"execCount":{"$numberLong":"3"},"totalExecMicros":)"
         R"({"sum":3084,"max":2499,"min":235,"sumOfSquares":{"$numberDecimal":"6422726"}},)"
         R"("firstSeenTimestamp":{"$date":"2023-11-29T21:16:17.796Z"},)"
         R"("latestSeenTimestamp":{"$date":"2023-11-29T21:17:12.385Z"}},)"
         R"("asOf":{"$timestamp":{"t":1701292827,"i":0}}})";
}

void read(const std::string& json, observer& to) {
  const config::bson_bytes made = config::bson_of_json(json).value();
  read_query_stats(made.view(), to);
}

constexpr const char* by_customer =
    R"("command":"find","filter":{"customer":{"$eq":"?number"}})";

TEST(query_stats, an_entry_is_all_commands_of_its_shape) {
  kept heard;
  read(entry(by_customer), heard);
  const observation& seen = heard.commands.at(0);
  EXPECT_TRUE(seen.is_made_up);
  EXPECT_EQ(seen.count, 3U);
  EXPECT_EQ(seen.duration, std::chrono::microseconds{3084});
  EXPECT_EQ(seen.longest, std::chrono::microseconds{2499});
  EXPECT_EQ(seen.first, digest::wall_time{std::chrono::milliseconds{1701292577796}});
  EXPECT_EQ(seen.at, digest::wall_time{std::chrono::milliseconds{1701292632385}});
  EXPECT_EQ(seen.who.app_name, "web");
  EXPECT_EQ(seen.who.driver, "nodejs|mongosh");
  EXPECT_EQ(seen.query_shape_hash, "AB8ECADE");
}

TEST(query_stats, what_describes_no_command_is_counted) {
  kept heard;
  read(entry(by_customer, "Mtrt3iG7dsX5c5uCSIhSVlcu5qD3u3xx2EQnS1dJLxM="), heard);
  EXPECT_EQ(heard.skipped[skip_reason::redacted], 1);
  read(entry(R"("command":"find","filter":{"a":{"$eq":"?dbPointer"}})"), heard);
  EXPECT_EQ(heard.skipped[skip_reason::not_rebuilt], 1);
  read(R"({"key":{},"metrics":{"execCount":1}})", heard);
  read(R"({"key":{"queryShape":{"command":"find"}},"metrics":{}})", heard);
  EXPECT_EQ(heard.skipped[skip_reason::unreadable], 2);
  EXPECT_TRUE(heard.commands.empty());
}

/// shop.orders by {customer, _id}, on two shards that are split at customer 5.
std::shared_ptr<const routing::catalog> orders() {
  routing::catalog_builder builder;
  routing::collection made;
  made.database = "shop";
  made.name = "orders";
  made.key = {{"customer", false}, {"_id", false}};
  EXPECT_FALSE(builder.add(std::move(made)));
  const auto add = [&](const char* min, const char* max, const char* shard) {
    const auto from = config::bson_of_json(min).value();
    const auto to = config::bson_of_json(max).value();
    EXPECT_FALSE(builder.add_chunk(from.view(), to.view(), shard));
  };
  add(R"({"customer":{"$minKey":1},"_id":{"$minKey":1}})",
      R"({"customer":5,"_id":{"$minKey":1}})", "a");
  add(R"({"customer":5,"_id":{"$minKey":1}})",
      R"({"customer":{"$maxKey":1},"_id":{"$maxKey":1}})", "b");
  EXPECT_FALSE(builder.finish_collection());
  return builder.build();
}

struct judged {
  const char* shape;
  routing_class expected;
  std::optional<std::uint32_t> shards;
};

TEST(query_stats, where_chunks_are_does_not_decide_about_values_that_no_one_knows) {
  const judged cases[] = {
      {R"("command":"find","filter":{"$and":[{"customer":{"$eq":"?number"}},)"
       R"({"_id":{"$eq":"?objectId"}}]})",
       routing_class::single_shard, 1},
      {by_customer, routing_class::multi_shard, std::nullopt},
      {R"("command":"find","filter":{"customer":{"$gt":"?number"}})",
       routing_class::multi_shard, std::nullopt},
      {R"("command":"find","filter":{"customer":{"$in":"?array<?number>"}})",
       routing_class::multi_shard, std::nullopt},
      {R"("command":"find","filter":{"status":{"$eq":"?string"}})",
       routing_class::scatter_gather, 2},
      {R"("command":"update","q":{"$and":[{"customer":{"$eq":"?number"}},)"
       R"({"_id":{"$eq":"?number"}}]},"u":"?object","multi":false,"upsert":false)",
       routing_class::single_shard, 1},
      {R"("command":"insert","documents":"?array<?object>")", routing_class::unknown,
       std::nullopt},
  };
  for (const judged& each : cases) {
    digest::table table{10};
    digest_builder builder{orders(), table};
    read(entry(each.shape), builder);
    ASSERT_EQ(table.size(), 1U) << each.shape;
    const digest::row& row = *table.ranked().front();
    EXPECT_EQ(row.what.routing, each.expected) << each.shape;
    EXPECT_EQ(row.count, 3U);
    EXPECT_TRUE(row.what.lints.empty()) << each.shape;
    EXPECT_EQ(row.shards.commands, each.shards ? 3U : 0U) << each.shape;
    EXPECT_EQ(row.shards.most, each.shards.value_or(0)) << each.shape;
  }
}

TEST(query_stats, what_mongos_would_refuse_was_not_sent_so) {
  digest::table table{10};
  digest_builder builder{orders(), table};
  read(entry(R"("command":"find","filter":{"a":{"$noSuch":"?number"}})"), builder);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(builder.of_source().observations, 0U);
}

}  // namespace
}  // namespace scattergate::report
