#include "wire/op_query.hpp"

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

const bytes hello = document(int32_field("isMaster", 1));

result<op_query> parse_query(const bytes& whole) {
  return parse_op_query(header_of(whole), whole);
}

TEST(op_query, holds_what_the_handshake_sends) {
  const bytes whole = op_query_bytes("admin.$cmd", hello);
  const auto parsed = parse_query(whole);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->header.request_id, 7);
  EXPECT_EQ(parsed->full_collection_name, "admin.$cmd");
  EXPECT_EQ(parsed->number_to_skip, 0);
  EXPECT_EQ(parsed->number_to_return, -1);
  EXPECT_EQ(parsed->query.size_bytes(), hello.size());
}

TEST(op_query, may_end_with_a_field_selector) {
  EXPECT_TRUE(parse_query(op_query_bytes("admin.$cmd", joined(hello, document()))));
}

TEST(op_query, refuses_every_malformed_message_for_its_own_reason) {
  bytes unclosed = hello;
  unclosed.back() = std::byte{1};
  struct {
    const char* what;
    bytes whole;
    wire_errc expected;
  } const cases[] = {
      {"header alone", message(opcode::query, 1, {}), wire_errc::short_message},
      {"no room for a query", op_query_bytes("", {}), wire_errc::short_message},
      {"name takes the query's room", op_query_bytes("admin.$cmd", bytes(4)),
       wire_errc::short_message},
      {"name without end", message(opcode::query, 1, bytes(30, std::byte{'a'})),
       wire_errc::bad_section},
      {"name longer than any", op_query_bytes(std::string(256, 'a'), hello),
       wire_errc::bad_section},
      {"query overruns", op_query_bytes("a.$cmd", bytes(hello.begin(), hello.end() - 1)),
       wire_errc::bad_bson},
      {"query without closing NUL", op_query_bytes("a.$cmd", unclosed), wire_errc::bad_bson},
      {"query of length 0", op_query_bytes("a.$cmd", bytes(16)), wire_errc::bad_bson},
  };
  for (const auto& [what, whole, expected] : cases) {
    const auto parsed = parse_query(whole);
    ASSERT_FALSE(parsed) << what;
    EXPECT_EQ(parsed.error(), expected) << what << ": " << label(parsed.error());
  }
}

TEST(op_query, cut_at_any_byte_is_refused) {
  const bytes whole = op_query_bytes("admin.$cmd", hello);
  for (std::size_t size = 0; size != whole.size(); ++size) {
    EXPECT_FALSE(parse_op_query(header_of(whole), std::span{whole}.first(size))) << size;
  }
}

TEST(op_reply, holds_its_head_and_documents) {
  const bytes whole = message(opcode::reply, 9,
                              joined(little(std::uint32_t{2}), little(std::int64_t{-3}),
                                     little(std::int32_t{4}), little(std::int32_t{5}), hello));
  const auto parsed = parse_op_reply(header_of(whole), whole);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->header.request_id, 9);
  EXPECT_EQ(parsed->flags, 2U);
  EXPECT_EQ(parsed->cursor_id, -3);
  EXPECT_EQ(parsed->starting_from, 4);
  EXPECT_EQ(parsed->number_returned, 5);
  EXPECT_EQ(parsed->documents.size(), hello.size());
}

TEST(op_reply, cut_in_its_head_is_refused) {
  const bytes whole = op_reply_bytes(0, {});
  EXPECT_TRUE(parse_op_reply(header_of(whole), whole));
  for (std::size_t size = 0; size != whole.size(); ++size) {
    const auto parsed = parse_op_reply(header_of(whole), std::span{whole}.first(size));
    ASSERT_FALSE(parsed) << size;
    EXPECT_EQ(parsed.error(), wire_errc::short_message);
  }
}

}  // namespace
}  // namespace scattergate::wire
