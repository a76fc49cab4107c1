#include <gtest/gtest.h>

#include "proxy/judging/client_identity.hpp"
#include "tests/support/recorded_cluster.hpp"
#include "tests/wire/messages.hpp"

namespace scattergate::proxy {
namespace {

using tests::json_document;
using wire::document_view;

std::vector<std::byte> as_op_msg(document_view body) {
  using namespace wire_tests;
  const bytes document{body.bytes().begin(), body.bytes().end()};
  return joined(little(std::int32_t{0}), little(std::int8_t{0}), document);
}

std::vector<std::byte> as_op_reply(document_view body) {
  using namespace wire_tests;
  const bytes document{body.bytes().begin(), body.bytes().end()};
  return joined(little(std::int32_t{8}), little(std::int64_t{0}), little(std::int32_t{0}),
                little(std::int32_t{1}), document);
}

std::optional<std::string> set_in(wire::opcode op, const std::vector<std::byte>& payload) {
  const auto size = static_cast<std::int32_t>(wire::limits::header_bytes + payload.size());
  const wire::message_header header{size, 1, 2, op};
  std::vector<std::byte> message(wire::limits::header_bytes);
  message.insert(message.end(), payload.begin(), payload.end());
  return replica_set_of(header, message);
}

/// Both ways in which the first hello is answered.
std::vector<std::optional<std::string>> sets_in(document_view reply) {
  return {set_in(wire::opcode::msg, as_op_msg(reply)),
          set_in(wire::opcode::reply, as_op_reply(reply))};
}

TEST(hello_reply, of_a_replica_set_names_it) {
  const json_document member{
      R"({"ismaster": true, "setName": "s0", "hosts": ["127.0.0.1:28121"], "ok": 1})"};
  for (const auto& set : sets_in(member.view())) EXPECT_EQ(set, "s0");
}

TEST(hello_reply, of_a_real_mongos_names_none) {
  const json_document replies{tests::text_of_file(tests::real_facts() / "replies.json")};
  const auto hello = wire::find_field(replies.view(), "isMaster");
  for (const auto& set : sets_in(hello->as_document().value())) EXPECT_EQ(set, std::nullopt);
}

TEST(hello_reply, of_no_sense_names_none) {
  EXPECT_EQ(set_in(wire::opcode::msg, {}), std::nullopt);
  EXPECT_EQ(set_in(wire::opcode::query, {}), std::nullopt);
  const json_document number{R"({"setName": 5})"};
  for (const auto& set : sets_in(number.view())) EXPECT_EQ(set, std::nullopt);
}

}  // namespace
}  // namespace scattergate::proxy
