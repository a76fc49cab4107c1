#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"
#include "wire/command.hpp"
#include "wire/message_digest.hpp"
#include "wire/op_msg.hpp"
#include "wire/trace_context.hpp"

// Sections of other kinds than the command's, in the parser and in the digest.

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

constexpr std::string_view traceparent =
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const bytes insert =
    body_section(document(string_field("insert", "c"), string_field("$db", "d")));
const bytes other_command =
    body_section(document(string_field("drop", "c"), string_field("$db", "d")));
const bytes documents = sequence_section("documents", document(int32_field("a", 1)));

bytes of_kind(int kind, const bytes& content) {
  return joined(little(static_cast<std::uint8_t>(kind)), content);
}

bytes telemetry(std::string_view value = traceparent) {
  return of_kind(3,
                 document(field(0x03, "otel", document(string_field("traceparent", value)))));
}

const bytes token_document = of_kind(2, document(string_field("tenant", "acme")));
const bytes token_text = of_kind(2, c_string("eyJhbGciOiJub25lIn0.e30."));
const bytes unknown = of_kind(77, joined(little(std::int32_t{9}), text("five!")));

struct digested {
  wire_errc error{};
  bytes kept;
};

/// The result for the message when its bytes arrive in pieces of this size.
digested digest_of(const bytes& whole, std::size_t piece) {
  static constexpr digest_part parts[] = {{"documents", "", digest_part::kind::document}};
  static const std::string selected[] = {"a"};
  message_digest digest{{parts, selected}};
  for (std::span<const std::byte> rest = whole; !rest.empty();) {
    const auto taken = rest.first(std::min(piece, rest.size()));
    if (!digest.feed(taken)) return {digest.error(), {}};
    rest = rest.subspan(taken.size());
  }
  if (!digest.is_whole()) return {digest.error(), {}};
  return {{}, {digest.kept().begin(), digest.kept().end()}};
}

bytes with_checksum(const bytes& sections) {
  bytes whole = op_msg_bytes(msg_flag::checksum_present, joined(sections, text("crc!")));
  return whole;
}

void expect_insert(const bytes& whole, const char* what) {
  const auto parsed = parsed_op_msg(whole);
  ASSERT_TRUE(parsed) << what << ": " << label(parsed.error());
  const auto command = command_of(*parsed);
  ASSERT_TRUE(command) << what;
  EXPECT_EQ(command->name, "insert") << what;
  ASSERT_TRUE(command->sequences.begin() != command->sequences.end()) << what;
  EXPECT_EQ(command->sequences.begin()->identifier, "documents") << what;
}

TEST(sections, of_other_kinds_are_passed_wherever_they_stand) {
  const struct {
    const char* what;
    bytes section;
  } cases[] = {{"telemetry", telemetry()},
               {"a token that is a document", token_document},
               {"an empty one", of_kind(2, document())},
               {"a token that is a text", token_text},
               {"an unknown kind", unknown},
               {"one of no content", of_kind(4, little(std::int32_t{4}))},
               {"one of two kinds", joined(unknown, telemetry())},
               {"two unknown ones", joined(unknown, of_kind(255, document()))},
               {"all of them", joined(telemetry(), token_text, unknown)}};
  for (const auto& [what, section] : cases) {
    for (const bytes& sections :
         {joined(section, insert, documents), joined(insert, section, documents),
          joined(insert, documents, section), joined(documents, section, insert)}) {
      for (const bytes& whole : {op_msg_bytes(0, sections), with_checksum(sections)}) {
        expect_insert(whole, what);
        for (const std::size_t piece : {1UL, 2UL, 3UL, 7UL, whole.size()}) {
          const digested got = digest_of(whole, piece);
          ASSERT_EQ(got.error, wire_errc{}) << what << " by " << piece;
          expect_insert(got.kept, what);
        }
      }
    }
  }
}

/// Sections with a token whose text ends within its document. Read as a document, it is
/// followed by the insert; read as a text, it contains the other command, and then a section
/// of `filler` kind that holds all the rest.
bytes two_faced(int filler) {
  const bytes inside = bytes(other_command.begin() + 1, other_command.end());
  const bytes outside = joined(insert, documents);
  const bytes padding(300 - inside.size(), std::byte{'p'});
  const auto rest = static_cast<std::int32_t>(4 + padding.size() + 1 + outside.size());
  const bytes content = joined(inside, of_kind(filler, little(rest)), padding, bytes(1));
  // A length of two bytes that aren't NUL and two that are: after the first of them, kind 0.
  const bytes token = joined(little(size_of(content) + 4), content);
  EXPECT_EQ(token[2], std::byte{0});
  return joined(of_kind(2, token), outside);
}

TEST(sections, that_can_be_read_in_two_ways_are_not_read) {
  for (const int filler : {1, 77}) {
    for (const bytes& sections : {two_faced(filler), joined(telemetry(), two_faced(filler))}) {
      for (const bytes& whole : {op_msg_bytes(0, sections), with_checksum(sections)}) {
        const auto parsed = parsed_op_msg(whole);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error(), wire_errc::unknown_section);
        for (const std::size_t piece : {1UL, 5UL, whole.size()}) {
          EXPECT_EQ(digest_of(whole, piece).error, wire_errc::unknown_section) << piece;
        }
      }
    }
  }
}

TEST(sections, of_which_the_frame_leads_nowhere_are_unknown) {
  const struct {
    const char* what;
    bytes sections;
  } cases[] = {
      {"a length below its own size", joined(insert, of_kind(9, little(std::int32_t{3})))},
      {"a length that overruns", joined(insert, of_kind(9, little(std::int32_t{5})))},
      {"a negative length", joined(insert, of_kind(9, little(std::int32_t{-4})))},
      {"less than a length", joined(insert, of_kind(9, bytes(3)))},
      {"a kind alone", joined(insert, of_kind(9, {}))},
      {"a length that ends inside a section",
       joined(insert, of_kind(9, little(std::int32_t{6})), documents)},
      {"no body behind it", unknown},
      {"a body cut short behind it", joined(unknown, bytes(insert.begin(), insert.end() - 1))},
      {"two bodies behind it", joined(unknown, insert, insert)},
      {"a token without end", joined(insert, of_kind(2, text("eyJhbGciOiJub25lIn0.e30.")))},
      {"a token alone", joined(insert, of_kind(2, {}))},
  };
  for (const auto& [what, sections] : cases) {
    const bytes whole = op_msg_bytes(0, sections);
    const auto parsed = parsed_op_msg(whole);
    ASSERT_FALSE(parsed) << what;
    EXPECT_EQ(parsed.error(), wire_errc::unknown_section) << what;
    // For a message that ends too soon the digest only shows that it is incomplete.
    EXPECT_NE(digest_of(whole, 3).error, wire_errc{}) << what;
    const digested with_sum = digest_of(with_checksum(sections), 3);
    EXPECT_EQ(with_sum.error, wire_errc::unknown_section) << what;
  }
}

TEST(sections, of_telemetry_come_once_and_hold_a_document) {
  const struct {
    const char* what;
    bytes sections;
    wire_errc expected;
  } cases[] = {
      {"twice", joined(telemetry(), insert, telemetry()), wire_errc::bad_section},
      {"no document", joined(insert, of_kind(3, little(std::int32_t{4}))), wire_errc::bad_bson},
      {"too long", joined(insert, of_kind(3, little(std::int32_t{50}))),
       wire_errc::bad_section},
      {"two bodies", joined(telemetry(), insert, insert), wire_errc::body_count},
  };
  for (const auto& [what, sections, expected] : cases) {
    const auto parsed = parsed_op_msg(op_msg_bytes(0, sections));
    ASSERT_FALSE(parsed) << what;
    EXPECT_EQ(parsed.error(), expected) << what;
    EXPECT_NE(digest_of(op_msg_bytes(0, sections), 3).error, wire_errc{}) << what;
  }
}

TEST(sections, are_bounded_in_number) {
  bytes many = insert;
  for (std::size_t i = 0; i != max_sections; ++i) many = joined(many, of_kind(9, little(4)));
  EXPECT_EQ(parsed_op_msg(op_msg_bytes(0, many)).error(), wire_errc::too_many_nodes);
  EXPECT_NE(digest_of(op_msg_bytes(0, many), 1000).error, wire_errc{});
}

TEST(sections, cut_anywhere_are_an_error) {
  const bytes whole =
      op_msg_bytes(0, joined(telemetry(), token_text, insert, unknown, documents, token_text));
  for (std::size_t size = 0; size != whole.size(); ++size) {
    const auto start = std::span{whole}.first(size);
    const auto parsed = parse_op_msg(header_of(whole), start);
    // By its bytes, a message may end between two sections.
    EXPECT_TRUE(!parsed || command_of(*parsed)) << size;
    EXPECT_NE(digest_of({start.begin(), start.end()}, 4).error, wire_errc{}) << size;
  }
}

TEST(sections, of_telemetry_report_the_traceparent) {
  const struct {
    const char* what;
    bytes section;
    std::string_view expected;
  } cases[] = {
      {"as it should be", telemetry(), traceparent},
      {"none", of_kind(3, document()), ""},
      {"no text",
       of_kind(3, document(field(0x03, "otel", document(int32_field("traceparent", 1))))), ""},
      {"no otel", of_kind(3, document(string_field("traceparent", traceparent))), ""},
      {"too long", telemetry(std::string{traceparent} + "-x"), ""},
      {"too large",
       of_kind(3, document(field(0x03, "otel",
                                 document(string_field("x", std::string(5'000, 'x')),
                                          string_field("traceparent", traceparent))))),
       ""},
  };
  for (const auto& [what, section, expected] : cases) {
    const bytes whole = op_msg_bytes(0, joined(insert, documents, section));
    const auto parsed = parsed_op_msg(whole);
    ASSERT_TRUE(parsed) << what;
    EXPECT_EQ(parsed->traceparent, expected) << what;
    const digested got = digest_of(whole, 11);
    ASSERT_EQ(got.error, wire_errc{}) << what;
    EXPECT_EQ(parsed_op_msg(got.kept)->traceparent, expected) << what;
  }
}

TEST(sections, may_stand_before_the_body_whose_command_is_known_early) {
  EXPECT_EQ(name_of_command(op_msg_bytes(0, joined(telemetry(), insert))), "insert");
  EXPECT_EQ(name_of_command(op_msg_bytes(0, telemetry())), std::nullopt);
  EXPECT_EQ(name_of_command(op_msg_bytes(0, of_kind(3, little(std::int32_t{-1})))),
            std::nullopt);
  EXPECT_EQ(name_of_command(op_msg_bytes(0, joined(unknown, insert))), std::nullopt);
}

/// With any bytes after an insert, the parser and the digest agree on the command, except for
/// tokens that a digest can't distinguish.
TEST(sections, are_one_message_to_the_parser_and_the_digest) {
  std::mt19937 random{20261122};
  std::size_t read = 0;
  for (int round = 0; round != 20'000; ++round) {
    bytes sections = insert;
    for (std::size_t count = random() % 4; count != 0; --count) {
      const std::vector<bytes> some = {documents, telemetry(),   token_document, token_text,
                                       unknown,   two_faced(77), other_command};
      sections = joined(sections, some[random() % some.size()]);
    }
    bytes whole = op_msg_bytes(0, sections);
    for (std::size_t changes = random() % 3; changes != 0; --changes) {
      whole[20 + random() % (whole.size() - 20)] = static_cast<std::byte>(random() % 8);
    }
    const auto parsed = parsed_op_msg(whole);
    const digested got = digest_of(whole, 1 + random() % 50);
    if (got.error != wire_errc{}) continue;
    const auto kept = parsed_op_msg(got.kept);
    // Of what is broken the digest may see less than the parser.
    if (!parsed) continue;
    ASSERT_TRUE(kept) << round << ": " << label(kept.error());
    ++read;
    EXPECT_TRUE(std::ranges::equal(parsed->body.bytes(), kept->body.bytes())) << round;
    EXPECT_EQ(parsed->traceparent, kept->traceparent) << round;
  }
  EXPECT_GT(read, 3'000U);
}

TEST(trace_id, is_the_second_part_of_a_traceparent) {
  const trace_id found = trace_id_of(traceparent);
  EXPECT_EQ(trace_id_text(found), traceparent.substr(3, 32));
  EXPECT_EQ(found.is_sampled, traceparent.back() % 2 == '1' % 2);
  EXPECT_FALSE(
      trace_id_of("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00").is_sampled);
  EXPECT_FALSE(trace_id_of("no traceparent"));
}

TEST(is_traceparent, is_what_w3c_says) {
  EXPECT_TRUE(is_traceparent(traceparent));
  EXPECT_TRUE(is_traceparent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later"));
  for (const std::string_view bad :
       {"", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.later",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-zz"}) {
    EXPECT_FALSE(is_traceparent(bad)) << bad;
  }
}

}  // namespace
}  // namespace scattergate::wire
