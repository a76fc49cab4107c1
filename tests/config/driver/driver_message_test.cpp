#include "config/driver/driver_message.hpp"

#include <gtest/gtest.h>

#include "config/text/extended_json.hpp"

namespace scattergate::config {
namespace {

std::vector<std::byte> envelope(const std::string& json) {
  return bson_of_json(json).value().bytes;
}

TEST(driver_message, a_request_arrives_as_it_was_sent) {
  const auto came = decode_request(
      encode(driver_request{driver_call::open, "d", "mongodb://ann:pencil@h/", "app", 5'000}));
  ASSERT_TRUE(came);
  EXPECT_EQ(came->what, driver_call::open);
  EXPECT_EQ(came->database, "d");
  EXPECT_EQ(came->uri, "mongodb://ann:pencil@h/");
  EXPECT_EQ(came->application, "app");
  EXPECT_EQ(came->wait_limit_ms, 5'000);
}

TEST(driver_message, a_reply_arrives_as_it_was_sent) {
  driver_reply sent;
  sent.failed = mongo_error{mongo_failure::unauthorized, 13, "no", true, true};
  sent.server = {true, "Mongos", "h:27017", 25};
  const auto came = decode_reply(encode(sent));
  ASSERT_TRUE(came && came->failed);
  EXPECT_FALSE(came->line);
  EXPECT_EQ(came->failed->kind, mongo_failure::unauthorized);
  EXPECT_EQ(came->failed->code, 13);
  EXPECT_EQ(came->failed->text, "no");
  EXPECT_TRUE(came->failed->is_transient && came->failed->is_outcome_unknown);
  EXPECT_TRUE(came->server.is_mongos);
  EXPECT_EQ(came->server.type + came->server.address, "Mongosh:27017");
  EXPECT_EQ(came->server.max_wire_version, 25);
}

TEST(driver_message, a_line_of_the_log_is_no_reply) {
  driver_reply sent;
  sent.line = {true, "a warning"};
  const auto came = decode_reply(encode(sent));
  ASSERT_TRUE(came && came->line);
  EXPECT_TRUE(came->line->is_error);
  EXPECT_EQ(came->line->text, "a warning");
}

TEST(driver_message, the_longest_texts_fit_into_an_envelope) {
  driver_reply sent;
  sent.failed = mongo_error{mongo_failure::command_failed, 1, std::string(20'000'000, 'x')};
  sent.server.address = std::string(20'000'000, 'y');
  EXPECT_LT(encode(sent).size(), max_envelope_bytes);
}

TEST(driver_message, what_is_malformed_is_refused) {
  for (const char* const json : {R"({"error": {"kind": 99}})", R"({"error": {"kind": -1}})"}) {
    EXPECT_FALSE(decode_reply(envelope(json))) << json;
  }
  for (const char* const json : {R"({"call": 7})", R"({"call": {"$numberLong": "-1"}})"}) {
    EXPECT_FALSE(decode_request(envelope(json))) << json;
  }
  std::vector<std::byte> cut = encode(driver_reply{});
  cut.pop_back();
  EXPECT_FALSE(decode_reply(cut));
  EXPECT_FALSE(decode_request(cut));
}

TEST(driver_message, other_types_count_as_absent) {
  const auto came = decode_reply(envelope(
      R"({"log": 5, "error": [1], "server": {"isMongos": null, "type": 5, "maxWireVersion": 1.5}})"));
  ASSERT_TRUE(came);
  EXPECT_FALSE(came->line || came->failed || came->server.is_mongos);
  EXPECT_EQ(came->server.type, "");
  EXPECT_EQ(came->server.max_wire_version, 0);
}

}  // namespace
}  // namespace scattergate::config
