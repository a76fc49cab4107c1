#include "wire/reply.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"
#include "wire/op_query.hpp"
#include "wire/reply_scan.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

const command_error illegal{server_errc::illegal_operation,
                            "scattergate: clients needs project_id"};

void expect_error_document(document_view found) {
  std::vector<std::string> keys;
  document_reader reader{found};
  for (element each; reader.next(each);) keys.emplace_back(each.key());
  EXPECT_FALSE(reader.is_corrupt());
  EXPECT_EQ(keys, (std::vector<std::string>{"ok", "errmsg", "code", "codeName"}));
  EXPECT_EQ(find_field(found, "ok")->type(), bson_type::float64);
  EXPECT_FALSE(find_field(found, "ok")->is_truthy());
  EXPECT_EQ(find_field(found, "errmsg")->as_string(), illegal.message);
  EXPECT_EQ(find_field(found, "code")->type(), bson_type::int32);
  EXPECT_EQ(find_field(found, "code")->as_int64(), 20);
  EXPECT_EQ(find_field(found, "codeName")->as_string(), "IllegalOperation");
}

TEST(build_error_msg, parses_back_as_an_op_msg) {
  const bytes whole = build_error_msg(11, 22, illegal);
  const message_header header = header_of(whole);
  EXPECT_EQ(header.length, size_of(whole));
  EXPECT_EQ(header.request_id, 11);
  EXPECT_EQ(header.response_to, 22);
  EXPECT_EQ(header.op, opcode::msg);
  const auto parsed = parse_op_msg(header, whole);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->flags, 0U);
  EXPECT_TRUE(parsed->sequences.begin() == parsed->sequences.end());
  expect_error_document(parsed->body);
}

TEST(build_error_reply, parses_back_as_an_op_reply_of_one_document) {
  const bytes whole = build_error_reply(11, 22, illegal);
  const message_header header = header_of(whole);
  EXPECT_EQ(header.length, size_of(whole));
  EXPECT_EQ(header.request_id, 11);
  EXPECT_EQ(header.response_to, 22);
  EXPECT_EQ(header.op, opcode::reply);
  const auto parsed = parse_op_reply(header, whole);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->flags, 0U);
  EXPECT_EQ(parsed->cursor_id, 0);
  EXPECT_EQ(parsed->starting_from, 0);
  EXPECT_EQ(parsed->number_returned, 1);
  const auto found = document_view::from(parsed->documents);
  ASSERT_TRUE(found);
  expect_error_document(*found);
}

TEST(build_error_msg, takes_any_text) {
  const std::string large(100'000, 'x');
  const std::string_view texts[] = {{}, "", "a", {"nul\0inside", 10}, large};
  for (const auto text : texts) {
    const bytes whole = build_error_msg(1, 2, {server_errc::expression_form, text});
    const auto parsed = parse_op_msg(header_of(whole), whole);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(find_field(parsed->body, "errmsg")->as_string(), text);
    EXPECT_EQ(find_field(parsed->body, "codeName")->as_string(), "Location15983");
    EXPECT_EQ(find_field(parsed->body, "code")->as_int64(), 15983);
  }
}

TEST(build_error_msg, and_its_op_reply_are_failures_to_the_scanner) {
  for (const bytes& whole :
       {build_error_msg(1, 2, illegal), build_error_reply(1, 2, illegal)}) {
    reply_scanner scanner;
    scanner.begin(header_of(whole));
    scanner.feed(std::span{whole}.subspan(16));
    EXPECT_TRUE(scanner.facts().readable);
    EXPECT_FALSE(scanner.facts().ok);
    EXPECT_EQ(scanner.facts().code, 20);
  }
}

}  // namespace
}  // namespace scattergate::wire
