#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"
#include "wire/command.hpp"

namespace scattergate::wire {
namespace {

using namespace wire_tests;

bytes insert_of(int documents) {
  bytes all;
  for (int i = 0; i < documents; ++i) all = joined(all, document(int32_field("_id", i)));
  return op_msg_bytes(
      0, joined(body_section(document(string_field("insert", "c"), string_field("$db", "d"))),
                sequence_section("documents", all)));
}

TEST(name_of_command, is_that_of_the_body_s_first_field) {
  const bytes message = insert_of(0);
  EXPECT_EQ(name_of_command(message), "insert");
  EXPECT_FALSE(name_of_command(std::span{message}.first(30)));
  const bytes bulk = op_msg_bytes(0, body_section(document(int32_field("bulkWrite", 1))));
  EXPECT_EQ(name_of_command(bulk), "bulkWrite");
  const bytes sequence_first = op_msg_bytes(0, sequence_section("documents", document()));
  EXPECT_FALSE(name_of_command(sequence_first));
  EXPECT_FALSE(name_of_command({}));
}

int documents_in(const started_command& of) {
  sequence_reader reader{of.sequence.documents};
  int count = 0;
  for (document_view one; reader.next(one);) ++count;
  return count;
}

TEST(started_command_in, has_the_body_and_the_documents_that_have_arrived) {
  const bytes message = insert_of(3);
  const std::size_t each = document(int32_field("_id", 0)).size();
  for (int whole = 0; whole <= 3; ++whole) {
    const std::size_t missing = static_cast<std::size_t>(3 - whole) * each;
    const auto start = std::span{message}.first(message.size() - missing);
    const auto found = started_command_in(start);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->what.ns().full_name(), "d.c");
    EXPECT_EQ(found->sequence.identifier, "documents");
    EXPECT_EQ(documents_in(*found), whole);
    EXPECT_EQ(found->begins_at + static_cast<std::size_t>(whole) * each, start.size());
    const auto cut = started_command_in(start.first(start.size() - 1));
    if (whole == 0) {
      EXPECT_FALSE(cut) << "the name's end is missing";
    } else {
      EXPECT_EQ(documents_in(*cut), whole - 1);
    }
  }
}

TEST(started_command_in, needs_the_body_and_then_a_sequence) {
  const bytes body = body_section(document(string_field("insert", "c")));
  const bytes sequence = sequence_section("documents", document());
  EXPECT_FALSE(started_command_in({}));
  EXPECT_FALSE(started_command_in(op_msg_bytes(0, body)));
  EXPECT_FALSE(started_command_in(op_msg_bytes(0, joined(sequence, body))));
  EXPECT_FALSE(started_command_in(op_msg_bytes(0, joined(body_section(document()), sequence))))
      << "no command";
  const bytes whole = op_msg_bytes(0, joined(body, sequence));
  EXPECT_TRUE(started_command_in(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto found = started_command_in(std::span{whole}.first(size));
    EXPECT_TRUE(!found || documents_in(*found) == 0);
  }
}

TEST(started_command_in, ends_with_the_section) {
  const bytes body = body_section(document(string_field("insert", "c")));
  const bytes sequence = sequence_section("documents", document());
  const bytes message = op_msg_bytes(0, joined(body, sequence, sequence));
  const auto found = started_command_in(message);
  ASSERT_TRUE(found);
  EXPECT_EQ(documents_in(*found), 1);
}

}  // namespace
}  // namespace scattergate::wire
