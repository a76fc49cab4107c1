#include "telemetry/audit/audit_line.hpp"

#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::chrono::system_clock::time_point noon{
    std::chrono::milliseconds{1'714'564'800'007}};

std::string line_of(const shape_delta& delta, std::string_view local = "{}") {
  return audit_line(delta, local, noon);
}

boost::json::object parsed(const shape_delta& delta) {
  return boost::json::parse(line_of(delta)).as_object();
}

shape_delta delta_of(shape_details details) {
  shape_delta delta = tests::sample_delta(1);
  delta.details = std::make_shared<const shape_details>(std::move(details));
  return delta;
}

TEST(audit_line, is_mongodbs_envelope_in_its_order) {
  shape_details details = tests::sample_finding();
  details.rule = "housekeeping";
  details.rule_why = "rare";
  details.action = finding_action::accepted;
  details.shards = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"shard0", "shard1", "shard2"});
  shape_delta delta = delta_of(details);
  delta.fanout = {0b110};
  delta.count = 3;
  delta.longest = std::chrono::microseconds{1500};
  delta.total = std::chrono::microseconds{2750};
  delta.who = {};
  delta.who.add({"yorkie", "go", "app", "10.0.0.1:4711", "nightly", 2});
  delta.who.add_others(1);
  const std::string line = line_of(delta, local_json("127.0.0.1:27117"));
  const std::string without_uuid =
      std::regex_replace(line, std::regex{"\"base64\":\"[^\"]*\""}, "\"base64\":\"\"");
  EXPECT_EQ(
      without_uuid,
      R"({"schemaVersion":1,"atype":"scattergate.finding",)"
      R"("ts":{"$date":"2024-05-01T12:00:00.007Z"},)"
      R"("uuid":{"$binary":{"base64":"","subType":"04"}},)"
      R"("local":{"ip":"127.0.0.1","port":27117},"param":{"command":"find",)"
      R"("ns":"yorkie-meta.clients","shape":{"find":"clients","filter":{"status":"?string"}},)"
      R"("routing":"scatter_gather","bounds":"full","reason":"missing_key",)"
      R"("missing":["project_id"],"shardKey":{"project_id":1,"_id":"hashed"},)"
      R"("suggestion":"add project_id to the filter",)"
      R"("shapeHash":"0000000000009f0c","queryShapeHash":null,"fanout":["shard1","shard2"],"rule":"housekeeping",)"
      R"("action":"accepted","why":"rare","count":3,)"
      R"("durationMillis":{"max":1.500,"total":2.750},"callers":[{"appName":"yorkie",)"
      R"("driver":"go","user":"app","remote":"10.0.0.1:4711","comment":"nightly","count":2},)"
      R"({"other":true,"count":1}]},"result":0})"
      "\n");
}

TEST(audit_line, says_null_where_there_is_nothing_to_say) {
  shape_details details = tests::sample_finding();
  details.what.bounds = routing::bounds_kind::none;
  details.what.why = routing::reason::none;
  details.what.shard_key_json = "";
  details.what.shape_json = "";
  details.what.suggestion = "";
  const boost::json::object line = parsed(delta_of(details));
  for (const char* field :
       {"bounds", "reason", "shardKey", "shape", "fanout", "rule", "why", "suggestion"}) {
    EXPECT_TRUE(line.at("param").at(field).is_null()) << field;
  }
}

TEST(audit_line, names_the_error_of_a_command_that_is_refused) {
  shape_details details = tests::sample_finding();
  EXPECT_FALSE(parsed(delta_of(details)).at("param").as_object().contains("refused"));
  details.refused = routing::refusal::shard_key_not_found;
  const boost::json::object line = parsed(delta_of(details));
  EXPECT_EQ(line.at("param").at("refused"), "ShardKeyNotFound");
}

TEST(audit_line, names_the_lints_where_there_are_any) {
  shape_details details = tests::sample_finding();
  EXPECT_FALSE(parsed(delta_of(details)).at("param").as_object().contains("lints"));
  details.what.lints = {"ambiguous_id"};
  const boost::json::object line = parsed(delta_of(details));
  EXPECT_EQ(line.at("param").at("lints"), boost::json::array{"ambiguous_id"});
}

TEST(audit_line, names_the_statement_of_a_batch) {
  shape_details details = tests::sample_finding();
  EXPECT_FALSE(parsed(delta_of(details)).at("param").as_object().contains("statement"));
  details.what.statement = 3;
  EXPECT_EQ(parsed(delta_of(details)).at("param").at("statement").as_int64(), 3);
}

TEST(audit_line, omits_what_is_not_known_of_a_caller) {
  shape_delta delta = tests::sample_delta(1);
  delta.who = {};
  delta.who.add({"", "", "", "10.0.0.1:1", "", 1});
  const boost::json::object caller =
      parsed(delta).at("param").at("callers").as_array().at(0).as_object();
  EXPECT_EQ(caller.size(), 2U);
  EXPECT_EQ(caller.at("remote"), "10.0.0.1:1");
  EXPECT_EQ(caller.at("count"), 1);
}

TEST(audit_line, has_no_callers_where_none_are_known) {
  shape_delta delta = tests::sample_delta(1);
  delta.who = {};
  EXPECT_TRUE(parsed(delta).at("param").at("callers").as_array().empty());
}

TEST(audit_line, gives_a_rejected_command_its_error) {
  shape_details details = tests::sample_finding();
  details.action = finding_action::rejected;
  EXPECT_EQ(parsed(delta_of(details)).at("result"), 411);
}

TEST(audit_line, stands_for_many_findings_beyond_the_cap) {
  shape_delta delta = tests::sample_delta(9);
  delta.details = shared_details(shape_scope::other);
  const boost::json::object line = parsed(delta);
  EXPECT_EQ(line.at("param").at("ns"), "__other__");
  EXPECT_EQ(line.at("param").at("command"), "__other__");
  EXPECT_EQ(line.at("param").at("shapeHash"), "__other__");
  EXPECT_EQ(line.at("param").at("count"), 9);
  EXPECT_TRUE(line.at("param").at("action").is_null());
  EXPECT_EQ(line.at("result"), 0);
}

TEST(audit_line, stays_one_line_of_json_whatever_clients_say) {
  shape_details details = tests::sample_finding();
  details.collection = "a\nb\"c\\\xFF";
  details.rule_why = std::string("nul\0byte", 8);
  shape_delta delta = delta_of(details);
  delta.who = {};
  delta.who.add({"\r\n", "\x01\x7F", "\xED\xA0\x80", "]}", "\"},\"count\":0", 1});
  const std::string line = line_of(delta);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const boost::json::object object = boost::json::parse(line).as_object();
  EXPECT_EQ(object.at("param").at("ns"), "yorkie-meta.a\nb\"c\\\xEF\xBF\xBD");
  EXPECT_EQ(object.at("param").at("callers").as_array().at(0).at("comment"), "\"},\"count\":0");
}

TEST(audit_line, has_a_fresh_uuid_of_version_4) {
  const std::regex pattern{"\"base64\":\"([A-Za-z0-9+/]{22}==)\""};
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    std::smatch match;
    const std::string line = line_of(tests::sample_delta(1));
    ASSERT_TRUE(std::regex_search(line, match, pattern));
    const std::string id = match[1];
    EXPECT_TRUE(seen.insert(id).second);
    // The version is the high half of byte 6, which base64 puts at the start of character 8.
    constexpr std::string_view version_4 = "QRST";
    EXPECT_NE(version_4.find(id[8]), std::string_view::npos) << id;
  }
}

TEST(audit_line, names_the_listeners_address) {
  EXPECT_EQ(local_json("[::1]:27117"), R"({"ip":"::1","port":27117})");
  EXPECT_EQ(local_json("unix:/run/scattergate.sock"), R"({"unix":"/run/scattergate.sock"})");
  EXPECT_EQ(local_json(""), "{}");
}

}  // namespace
}  // namespace scattergate::telemetry
