#include "report/sources/document_reader.hpp"

#include <string>

#include <gtest/gtest.h>

#include "config/text/extended_json.hpp"
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

}  // namespace
}  // namespace scattergate::report
