#include <gtest/gtest.h>

#include "wire/bson_writer.hpp"
#include "wire/command.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"

namespace scattergate::wire {
namespace {

std::vector<std::byte> find_command() {
  bson_writer made;
  made.text("find", "c");
  made.open_document("filter");
  made.int32("a", 1);
  made.close();
  made.text("comment", "x");
  made.open_document("lsid");
  made.close();
  made.open_document("$clusterTime");
  made.close();
  made.text("$db", "d");
  return made.take();
}

std::string json_of(std::vector<std::byte> document) {
  std::string json = relaxed_json_of(document);
  std::erase(json, ' ');
  return json;
}

TEST(whole_command, of_a_body_alone_is_that_body) {
  const auto body = find_command();
  const auto command = command_of(*document_view::from(body));
  EXPECT_EQ(whole_command_of(*command, 1000), body);
  EXPECT_TRUE(whole_command_of(*command, body.size() - 1).empty());
}

TEST(bare_command, holds_what_is_asked_for_and_not_how) {
  const auto body = find_command();
  const auto command = command_of(*document_view::from(body));
  EXPECT_EQ(json_of(bare_command_of(*command, 1000)),
            R"({"find":"c","filter":{"a":1},"$db":"d"})");
}

TEST(bare_command, a_name_that_is_an_argument_elsewhere_stays) {
  bson_writer made;
  made.text("explain", "c");
  made.text("$db", "d");
  const auto body = made.take();
  const auto command = command_of(*document_view::from(body));
  EXPECT_EQ(json_of(bare_command_of(*command, 1000)), R"({"explain":"c","$db":"d"})");
}

TEST(bare_command, document_sequences_become_arrays) {
  bson_writer body;
  body.text("delete", "c");
  body.text("$db", "d");
  const auto kind0 = body.take();
  bson_writer statement;
  statement.int32("limit", 1);
  const auto one = statement.take();
  const std::string identifier = "deletes";
  std::vector<std::byte> section(sizeof(std::int32_t));
  for (const char letter : identifier) section.push_back(static_cast<std::byte>(letter));
  section.push_back(std::byte{0});
  for (int i = 0; i < 2; ++i) section.insert(section.end(), one.begin(), one.end());
  store_little(section.data(), static_cast<std::int32_t>(section.size()));
  std::vector<std::byte> message(limits::header_bytes + sizeof(std::uint32_t));
  message.push_back(std::byte{0});
  message.insert(message.end(), kind0.begin(), kind0.end());
  message.push_back(std::byte{1});
  message.insert(message.end(), section.begin(), section.end());
  const message_header header{static_cast<std::int32_t>(message.size()), 1, 0, opcode::msg};
  serialize_header(header, std::span{message}.first<limits::header_bytes>());
  const auto command = parse_command(header, message);
  ASSERT_TRUE(command);
  EXPECT_EQ(json_of(bare_command_of(*command, 1000)),
            R"({"delete":"c","deletes":[{"limit":1},{"limit":1}],"$db":"d"})");
  EXPECT_TRUE(bare_command_of(*command, 60).empty());
  EXPECT_EQ(json_of(whole_command_of(*command, 1000)),
            R"({"delete":"c","$db":"d","deletes":[{"limit":1},{"limit":1}]})");
  const auto whole = whole_command_of(*command, 1000);
  EXPECT_EQ(whole_command_of(*command, whole.size()), whole);
  EXPECT_TRUE(whole_command_of(*command, whole.size() - 1).empty());
}

TEST(bare_command, what_is_too_large_is_left) {
  const auto body = find_command();
  const auto command = command_of(*document_view::from(body));
  EXPECT_TRUE(bare_command_of(*command, body.size() - 1).empty());
}

}  // namespace
}  // namespace scattergate::wire
