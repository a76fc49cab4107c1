#include "wire/reply_scan.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

constexpr std::int64_t cursor_id = 0x1122334455667788;
const bytes ok = field(0x01, "ok", little(1.0));

reply_facts scan(const bytes& whole, std::size_t piece_bytes) {
  reply_scanner scanner;
  scanner.begin(header_of(whole));
  auto rest = std::span{whole}.subspan(limits::header_bytes);
  while (!rest.empty()) {
    const auto piece = rest.first(std::min(piece_bytes, rest.size()));
    scanner.feed(piece);
    rest = rest.subspan(piece.size());
  }
  return scanner.facts();
}

/// For a complete, valid reply, reading and scanning agree.
reply_facts scan(const bytes& whole) {
  const reply_facts scanned = scan(whole, whole.size());
  reply_scanner reader;
  reader.read(header_of(whole), whole);
  EXPECT_EQ(reader.facts().readable, scanned.readable);
  if (scanned.readable) {
    EXPECT_EQ(reader.facts(), scanned);
  }
  return scanned;
}

bytes reply_of(const bytes& body) {
  return op_msg_bytes(0, body_section(body));
}

template <typename... Fields>
reply_facts scan_fields(const Fields&... fields) {
  return scan(reply_of(document(fields...)));
}

bytes cursor_of(std::int64_t id, const bytes& batch) {
  return field(0x03, "cursor",
               document(field(0x04, "firstBatch", batch), field(0x12, "id", little(id)),
                        string_field("ns", "yorkie-meta.changes")));
}

/// A field of every type of BSON, two of them named as ones we look for.
const bytes fields_of_every_type = joined(
    field(0x01, "double", little(1.5)), field(0x02, "string", string_value("text")),
    field(0x03, "object", document(ok)), field(0x04, "id", document(ok)),
    field(0x05, "binary", joined(little(std::int32_t{3}), bytes(1), text("abc"))),
    field(0x05, "empty", joined(little(std::int32_t{0}), bytes(1))),
    field(0x06, "undefined", {}), field(0x07, "object_id", bytes(12)),
    field(0x08, "bool", little(std::int8_t{1})), field(0x09, "date", little(std::int64_t{1})),
    field(0x0a, "code", {}), field(0x0b, "regex", joined(c_string("^a"), c_string("im"))),
    field(0x0b, "regex2", joined(c_string(""), c_string(""))),
    field(0x0c, "pointer", joined(string_value("db.c"), bytes(12))),
    field(0x0d, "javascript", string_value("code")), field(0x0e, "symbol", string_value("")),
    field(0x0f, "scoped", joined(little(std::int32_t{15}), string_value("f"), document())),
    field(0x10, "int32", little(std::int32_t{1})),
    field(0x11, "timestamp", little(std::int64_t{1})),
    field(0x12, "int64", little(std::int64_t{1})), field(0x13, "decimal", bytes(16)),
    field(0x7f, "max", {}), field(0xff, "min", {}), field(0x0a, "", {}));

TEST(reply_scanner, finds_the_cursor_id_behind_the_batch) {
  const auto facts =
      scan_fields(cursor_of(cursor_id, document(field(0x03, "0", document(ok)))), ok);
  EXPECT_EQ(facts, (reply_facts{.cursor_id = cursor_id, .readable = true, .ok = true}));
}

TEST(reply_scanner, identifies_an_error_by_its_code) {
  const auto facts =
      scan_fields(field(0x01, "ok", little(0.0)), string_field("errmsg", "no"),
                  int32_field("code", 26), string_field("codeName", "NamespaceNotFound"));
  EXPECT_EQ(facts, (reply_facts{.code = 26, .readable = true}));
}

const bytes done = field(0x08, "done", little(std::int8_t{1}));

TEST(reply_scanner, reports_the_end_of_a_sasl_exchange_and_which_it_is) {
  EXPECT_EQ(scan_fields(int32_field("conversationId", 7), done, ok),
            (reply_facts{.conversation = 7, .readable = true, .ok = true, .sasl_done = true}));
  EXPECT_FALSE(scan_fields(field(0x08, "done", little(std::int8_t{0})), ok).sasl_done);
}

TEST(reply_scanner, distinguishes_a_speculative_exchange_from_its_neighbours) {
  const auto speculative = [](const auto&... fields) {
    return field(0x03, "speculativeAuthenticate", document(fields...));
  };
  const bytes seventh = int32_field("conversationId", 7);
  const bytes eighth = int32_field("conversationId", 8);
  const reply_facts begun{
      .conversation = 7, .readable = true, .ok = true, .is_speculative = true};
  EXPECT_EQ(scan_fields(speculative(seventh), ok), begun);
  EXPECT_EQ(scan_fields(eighth, done, speculative(seventh), ok), begun);
  EXPECT_EQ(scan_fields(speculative(seventh), done, eighth, ok), begun);
  EXPECT_EQ(scan_fields(speculative(seventh, speculative(done)), ok), begun);
  EXPECT_FALSE(scan_fields(speculative(seventh, ok)).ok);
  EXPECT_TRUE(scan_fields(speculative(seventh, done), ok).sasl_done);
  EXPECT_FALSE(
      scan_fields(field(0x04, "speculativeAuthenticate", document(done)), ok).sasl_done);
  EXPECT_FALSE(
      scan_fields(field(0x03, "speculativeauthenticate", document(done)), ok).sasl_done);
}

TEST(reply_scanner, reads_ok_of_any_numeric_type) {
  struct {
    int type;
    bytes value;
    bool expected;
  } const cases[] = {
      {0x01, little(1.0), true},
      {0x01, little(0.0), false},
      {0x10, little(std::int32_t{1}), true},
      {0x10, little(std::int32_t{0}), false},
      {0x12, little(std::int64_t{1}), true},
      {0x12, little(std::int64_t{0}), false},
      {0x08, little(std::int8_t{1}), true},
      {0x08, little(std::int8_t{0}), false},
      {0x02, string_value("1"), false},
      {0x0a, {}, false},
  };
  for (const auto& [type, value, expected] : cases) {
    const auto facts = scan_fields(field(type, "ok", value));
    EXPECT_TRUE(facts.readable) << type;
    EXPECT_EQ(facts.ok, expected) << type;
  }
}

TEST(reply_scanner, reports_that_more_will_come) {
  const bytes body = body_section(document(ok));
  EXPECT_TRUE(scan(op_msg_bytes(msg_flag::more_to_come, body)).more_to_come);
  EXPECT_FALSE(scan(op_msg_bytes(0, body)).more_to_come);
}

TEST(reply_scanner, passes_every_type_of_bson) {
  const auto facts =
      scan_fields(fields_of_every_type,
                  field(0x03, "cursor",
                        document(fields_of_every_type, field(0x12, "id", little(cursor_id)))),
                  ok);
  EXPECT_EQ(facts, (reply_facts{.cursor_id = cursor_id, .readable = true, .ok = true}));
}

TEST(reply_scanner, looks_for_each_name_on_its_own_level_only) {
  const auto facts = scan_fields(
      field(0x12, "id", little(std::int64_t{1})),
      field(0x03, "cursors", document(field(0x12, "id", little(std::int64_t{2})))),
      field(0x03, "cursor",
            document(
                ok, int32_field("code", 3), field(0x08, "done", little(std::int8_t{1})),
                field(0x03, "cursor", document(field(0x12, "id", little(std::int64_t{4})))))),
      field(0x01, "okay", little(1.0)), field(0x01, "o", little(1.0)),
      int32_field("codeName1", 5), int32_field("codes", 6));
  EXPECT_EQ(facts, (reply_facts{.readable = true}));
}

TEST(reply_scanner, does_not_take_a_longer_name_for_its_beginning) {
  const bytes whole = reply_of(document(field(0x01, "ok_and_not_only_that", little(1.0)),
                                        int32_field("code_of_another_kind", 5)));
  for (std::size_t piece = 1; piece != whole.size(); ++piece) {
    EXPECT_EQ(scan(whole, piece), (reply_facts{.readable = true})) << piece;
  }
}

TEST(reply_scanner, does_not_take_an_array_for_the_cursor) {
  EXPECT_EQ(
      scan_fields(field(0x04, "cursor", document(field(0x12, "id", little(cursor_id)))), ok),
      (reply_facts{.readable = true, .ok = true}));
}

TEST(reply_scanner, reads_the_first_document_of_an_op_reply) {
  const bytes first = document(cursor_of(cursor_id, document()), ok);
  EXPECT_EQ(scan(op_reply_bytes(1, first)),
            (reply_facts{.cursor_id = cursor_id, .readable = true, .ok = true}));
  EXPECT_TRUE(scan(op_reply_bytes(2, joined(first, document()))).ok);
  EXPECT_FALSE(scan(op_reply_bytes(0, {})).readable);
  EXPECT_FALSE(scan(op_reply_bytes(0, first)).readable);
}

TEST(reply_scanner, ignores_what_follows_the_body) {
  const bytes body = body_section(document(ok));
  const bytes checksum = little(std::uint32_t{0xffffffff});
  EXPECT_TRUE(scan(op_msg_bytes(msg_flag::checksum_present, joined(body, checksum))).readable);
  EXPECT_TRUE(scan(op_msg_bytes(0, joined(body, sequence_section("a", document())))).readable);
}

TEST(reply_scanner, gives_the_same_facts_however_the_reply_is_cut) {
  const bytes batch = document(field(0x03, "0", document(fields_of_every_type)));
  const bytes body =
      document(fields_of_every_type, cursor_of(cursor_id, batch), int32_field("code", 8),
               field(0x03, "speculativeAuthenticate",
                     document(fields_of_every_type, int32_field("conversationId", 7), done)),
               ok);
  for (const bytes& whole : {reply_of(body), op_reply_bytes(1, body)}) {
    const reply_facts expected = scan(whole);
    ASSERT_TRUE(expected.readable);
    ASSERT_EQ(expected.cursor_id, cursor_id);
    for (std::size_t piece = 1; piece != whole.size(); ++piece) {
      EXPECT_EQ(scan(whole, piece), expected) << piece;
    }
    for (std::size_t cut = 0; cut != whole.size() - limits::header_bytes; ++cut) {
      reply_scanner scanner;
      scanner.begin(header_of(whole));
      const auto payload = std::span{whole}.subspan(limits::header_bytes);
      scanner.feed(payload.first(cut));
      EXPECT_FALSE(scanner.facts().readable) << cut;
      scanner.feed(payload.subspan(cut));
      EXPECT_EQ(scanner.facts(), expected) << cut;
    }
  }
}

TEST(reply_scanner, begins_anew) {
  const bytes good = reply_of(document(cursor_of(cursor_id, document()), ok));
  reply_scanner scanner;
  scanner.begin(header_of(good));
  scanner.feed(std::span{good}.subspan(16, 40));
  scanner.begin(header_of(good));
  EXPECT_EQ(scanner.facts(), reply_facts{});
  scanner.feed(std::span{good}.subspan(16));
  EXPECT_EQ(scanner.facts().cursor_id, cursor_id);
  EXPECT_TRUE(scanner.facts().readable);
}

TEST(reply_scanner, leaves_alone_what_is_no_reply) {
  const bytes body = joined(bytes(4), body_section(document(ok)));
  for (const int op : {2004, 2012, 4711}) {
    EXPECT_EQ(scan(message(static_cast<opcode>(op), 1, body)), reply_facts{}) << op;
  }
  reply_scanner scanner;
  scanner.feed(body);
  EXPECT_EQ(scanner.facts(), reply_facts{});
  scanner.begin({15, 0, 0, opcode::msg});
  scanner.feed(body);
  EXPECT_EQ(scanner.facts(), reply_facts{});
}

TEST(reply_scanner, stops_at_what_it_cannot_read) {
  const auto with_length = [](std::int32_t length, const bytes& content) {
    return joined(little(length), content);
  };
  struct {
    const char* what;
    bytes whole;
  } const cases[] = {
      {"header alone", message(opcode::msg, 1, {})},
      {"flags alone", op_msg_bytes(0, {})},
      {"kind 1 first",
       op_msg_bytes(0, joined(sequence_section("a", document()), body_section(document(ok))))},
      {"kind 2", op_msg_bytes(0, joined(little(std::int8_t{2}), document(ok)))},
      {"document longer than its message",
       op_msg_bytes(0, body_section(with_length(100, bytes(1))))},
      {"document of length 4", op_msg_bytes(0, body_section(with_length(4, bytes(1))))},
      {"document of length -1", op_msg_bytes(0, body_section(with_length(-1, bytes(1))))},
      {"unknown type", reply_of(document(field(0x42, "a", bytes(8)), ok))},
      {"end mark in the middle", reply_of(document(bytes(1), ok))},
      {"name without end", reply_of(with_length(9, text("\x01name")))},
      {"regex without end", reply_of(with_length(9, joined(field(0x0b, "", text("abc")))))},
      {"number cut", reply_of(with_length(9, field(0x01, "ok", bytes(1))))},
      {"string overruns", reply_of(document(field(0x02, "a", little(std::int32_t{100}))))},
      {"string of length -1", reply_of(document(field(0x02, "a", little(std::int32_t{-1}))))},
      {"array of length 4", reply_of(document(field(0x04, "a", little(std::int32_t{4}))))},
      {"array of length -1", reply_of(document(field(0x04, "a", little(std::int32_t{-1}))))},
      {"cursor of length 4",
       reply_of(document(field(0x03, "cursor", little(std::int32_t{4}))))},
      {"cursor overruns", reply_of(document(field(0x03, "cursor", with_length(99, bytes(1)))))},
      {"cursor ends early",
       reply_of(document(field(0x03, "cursor", with_length(6, bytes(2)))))},
      {"cursor without end",
       reply_of(document(field(0x03, "cursor", with_length(6, text("\x0a")))))},
  };
  for (const auto& [what, whole] : cases) {
    EXPECT_FALSE(scan(whole).readable) << what;
    EXPECT_FALSE(scan(whole, 1).readable) << what;
  }
}

TEST(reply_scanner, takes_no_memory_for_names_or_nesting) {
  const bytes deep = field(0x03, "deep", nested_document(100'000));
  const bytes wide = field(0x0a, std::string(100'000, 'n'), {});
  const bytes whole = reply_of(document(deep, wide, ok));
  EXPECT_TRUE(scan(whole).ok);
  EXPECT_TRUE(scan(whole, 7).ok);
  static_assert(sizeof(reply_scanner) <= 96);
}

}  // namespace
}  // namespace scattergate::wire
