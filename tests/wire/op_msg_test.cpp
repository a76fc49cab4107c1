#include "wire/op_msg.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

const bytes ping = document(int32_field("ping", 1), string_field("$db", "admin"));
const bytes two_documents = joined(document(int32_field("a", 1)), document());

/// The identifiers of the sequences, and how many documents each has.
std::vector<std::pair<std::string, int>> sequences_of(const op_msg& message) {
  std::vector<std::pair<std::string, int>> out;
  for (const document_sequence& sequence : message.sequences) {
    int count = 0;
    sequence_reader reader{sequence.documents};
    for (document_view found; reader.next(found);) ++count;
    EXPECT_FALSE(reader.is_corrupt());
    out.emplace_back(sequence.identifier, count);
  }
  return out;
}

TEST(op_msg, holds_its_header_flags_and_body) {
  const bytes whole = op_msg_bytes(msg_flag::more_to_come, body_section(ping));
  const auto parsed = parsed_op_msg(whole);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->header.request_id, 7);
  EXPECT_TRUE(parsed->has(msg_flag::more_to_come));
  EXPECT_FALSE(parsed->has(msg_flag::exhaust_allowed));
  EXPECT_FALSE(parsed->checksum);
  EXPECT_EQ(parsed->body.size_bytes(), ping.size());
  EXPECT_TRUE(sequences_of(*parsed).empty());
}

TEST(op_msg, takes_its_sections_in_any_order) {
  std::vector<bytes> sections = {body_section(ping),
                                 sequence_section("documents", two_documents),
                                 sequence_section("ops", {}), sequence_section("", document())};
  std::sort(sections.begin(), sections.end());
  do {
    const bytes whole =
        op_msg_bytes(0, joined(sections[0], sections[1], sections[2], sections[3]));
    const auto parsed = parsed_op_msg(whole);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(bytes(parsed->body.bytes().begin(), parsed->body.bytes().end()), ping);
    auto found = sequences_of(*parsed);
    std::sort(found.begin(), found.end());
    const std::vector<std::pair<std::string, int>> expected = {
        {"", 1}, {"documents", 2}, {"ops", 0}};
    EXPECT_EQ(found, expected);
  } while (std::next_permutation(sections.begin(), sections.end()));
}

TEST(op_msg, keeps_the_order_of_its_sequences) {
  const bytes whole =
      op_msg_bytes(0, joined(sequence_section("ops", two_documents), body_section(ping),
                             sequence_section("nsInfo", document())));
  const auto parsed = parsed_op_msg(whole);
  ASSERT_TRUE(parsed);
  const std::vector<std::pair<std::string, int>> expected = {{"ops", 2}, {"nsInfo", 1}};
  EXPECT_EQ(sequences_of(*parsed), expected);
}

TEST(op_msg, refuses_every_malformed_message_for_its_own_reason) {
  const bytes body = body_section(ping);
  bytes unclosed = document();
  unclosed.back() = std::byte{1};
  const auto kind1 = [](std::int32_t length, const bytes& content) {
    return joined(little(std::int8_t{1}), little(length), content);
  };
  struct {
    const char* what;
    bytes whole;
    wire_errc expected;
  } const cases[] = {
      {"header alone", message(opcode::msg, 1, {}), wire_errc::short_message},
      {"flags alone", op_msg_bytes(0, {}), wire_errc::short_message},
      {"25 bytes", op_msg_bytes(0, bytes(5)), wire_errc::short_message},
      {"checksum but no room for it", op_msg_bytes(1, body_section(document())),
       wire_errc::short_message},
      {"required flag 2", op_msg_bytes(1U << 2U, body), wire_errc::unknown_flags},
      {"required flag 15", op_msg_bytes(1U << 15U, body), wire_errc::unknown_flags},
      {"kind 2", op_msg_bytes(0, joined(body, little(std::int8_t{2}))),
       wire_errc::unknown_section},
      {"kind 255", op_msg_bytes(0, joined(little(std::int8_t{-1}), body)),
       wire_errc::unknown_section},
      {"two bodies", op_msg_bytes(0, joined(body, body)), wire_errc::body_count},
      {"no body", op_msg_bytes(0, sequence_section("documents", two_documents)),
       wire_errc::body_count},
      {"body cut", op_msg_bytes(0, bytes(body.begin(), body.end() - 1)),
       wire_errc::bad_section},
      {"body kind, then too little", op_msg_bytes(0, joined(body, bytes(3))),
       wire_errc::bad_section},
      {"body length negative",
       op_msg_bytes(0, joined(little(std::int8_t{0}), little(std::int32_t{-1}), bytes(9))),
       wire_errc::bad_section},
      {"body length 4",
       op_msg_bytes(0, joined(little(std::int8_t{0}), little(std::int32_t{4}), bytes(9))),
       wire_errc::bad_bson},
      {"body without closing NUL", op_msg_bytes(0, body_section(unclosed)),
       wire_errc::bad_bson},
      {"sequence kind alone", op_msg_bytes(0, joined(body, little(std::int8_t{1}))),
       wire_errc::bad_section},
      {"sequence length alone", op_msg_bytes(0, joined(body, kind1(4, {}))),
       wire_errc::bad_section},
      {"sequence length 4", op_msg_bytes(0, joined(body, kind1(4, c_string("a")))),
       wire_errc::bad_section},
      {"sequence length 0", op_msg_bytes(0, joined(body, kind1(0, c_string("a")))),
       wire_errc::bad_section},
      {"sequence length negative", op_msg_bytes(0, joined(body, kind1(-1, c_string("a")))),
       wire_errc::bad_section},
      {"sequence overruns", op_msg_bytes(0, joined(body, kind1(7, c_string("a")))),
       wire_errc::bad_section},
      {"identifier without end", op_msg_bytes(0, joined(kind1(7, text("abc")), body)),
       wire_errc::bad_section},
  };
  for (const auto& [what, whole, expected] : cases) {
    const auto parsed = parsed_op_msg(whole);
    ASSERT_FALSE(parsed) << what;
    EXPECT_EQ(parsed.error(), expected) << what << ": " << label(parsed.error());
  }
}

TEST(op_msg, ignores_optional_flags_it_does_not_know) {
  for (std::uint32_t bit = 16; bit != 32; ++bit) {
    EXPECT_TRUE(parsed_op_msg(op_msg_bytes(1U << bit, body_section(ping)))) << bit;
  }
}

TEST(op_msg, cut_at_any_byte_is_refused) {
  const bytes whole =
      op_msg_bytes(0, joined(sequence_section("documents", two_documents), body_section(ping)));
  for (std::size_t size = 0; size != whole.size(); ++size) {
    EXPECT_FALSE(parse_op_msg(header_of(whole), std::span{whole}.first(size))) << size;
  }
}

TEST(op_msg, checksum_is_no_part_of_the_sections) {
  bytes whole = op_msg_bytes(
      msg_flag::checksum_present,
      joined(body_section(ping), sequence_section("a", document()), little(std::uint32_t{0})));
  const std::uint32_t crc = checksum_of(whole);
  store_little(whole.data() + whole.size() - 4, crc);
  const auto parsed = parsed_op_msg(whole);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->checksum, crc);
  EXPECT_EQ(checksum_of(whole), crc) << "its own four bytes don't count";
  EXPECT_EQ(sequences_of(*parsed).size(), 1U);
  whole[20] ^= std::byte{1};
  EXPECT_NE(checksum_of(whole), crc);
}

TEST(checksum_of, is_crc_32c) {
  // RFC 3720, appendix B.4, and the check value of the CRC catalogues; 4 bytes more for the
  // checksum itself.
  EXPECT_EQ(checksum_of(joined(text("123456789"), bytes(4))), 0xE3069283U);
  EXPECT_EQ(checksum_of(bytes(32 + 4)), 0x8A9136AAU);
  EXPECT_EQ(checksum_of(joined(bytes(32, std::byte{0xff}), bytes(4))), 0x62A8AB43U);
  EXPECT_EQ(checksum_of(bytes(4)), 0U);
  EXPECT_EQ(checksum_of(bytes(3)), 0U);
}

TEST(sequence_reader, stops_where_the_bytes_are_not_a_document) {
  const bytes good = document(int32_field("a", 1));
  for (const bytes& bad :
       {bytes(1), bytes(4), bytes(5), little(std::int64_t{-1}), joined(little(9), bytes(4))}) {
    const bytes raw = joined(good, bad);
    sequence_reader reader{raw};
    document_view found;
    EXPECT_TRUE(reader.next(found));
    EXPECT_EQ(found.size_bytes(), good.size());
    EXPECT_FALSE(reader.next(found));
    EXPECT_TRUE(reader.is_corrupt());
    EXPECT_FALSE(reader.next(found));
  }
}

TEST(sequence_range, is_empty_by_default) {
  const sequence_range range;
  EXPECT_TRUE(range.begin() == range.end());
}

}  // namespace
}  // namespace scattergate::wire
