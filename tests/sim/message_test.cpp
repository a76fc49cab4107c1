#include "sim/message.hpp"

#include <random>
#include <span>
#include <stdexcept>

#include <gtest/gtest.h>

#include "sim/execution/arguments.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "tests/sim/from_json.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"

namespace scattergate::sim {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span{text});
}

/// A message around `payload`, with its true length.
std::string framed(wire::opcode op, const std::string& payload) {
  std::string out(wire::limits::header_bytes, '\0');
  out += payload;
  wire::serialize_header(
      {static_cast<std::int32_t>(out.size()), 7, 0, op},
      std::as_writable_bytes(std::span{out}).first<wire::limits::header_bytes>());
  return out;
}

std::string op_msg_of(const char* json) {
  return framed(wire::opcode::msg, std::string(5, '\0') + encode(from_json(json)));
}

wire::message_header header_of(const std::string& message) {
  return *wire::parse_header(bytes_of(message).first<wire::limits::header_bytes>());
}

std::optional<received> read(const std::string& message) {
  return read_message(header_of(message), bytes_of(message));
}

TEST(message, a_command_is_read_with_its_sequences) {
  std::string payload(5, '\0');
  payload += encode(from_json(R"({"insert": "c", "$db": "d"})"));
  std::string sequence = std::string{"documents"} + '\0' + encode(from_json(R"({"_id": 1})")) +
                         encode(from_json(R"({"_id": 2})"));
  std::string size(4, '\0');
  wire::store_little(size.data(), static_cast<std::int32_t>(sequence.size() + 4));
  const auto got = read(framed(wire::opcode::msg, payload + '\1' + size + sequence));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->in.name, "insert");
  EXPECT_EQ(got->in.db, "d");
  EXPECT_EQ(got->in.body.find("documents")->as<array>()->size(), 2U);
  EXPECT_TRUE(got->wants_reply);
}

TEST(message, a_reply_comes_in_the_framing_of_its_request) {
  const document body = from_json(R"({"ok": 1})");
  const std::string modern = write_reply({0, 7, 0, wire::opcode::msg}, 7, body, true);
  const auto parsed = wire::parse_op_msg(header_of(modern), bytes_of(modern));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(parsed->has(wire::msg_flag::more_to_come));
  EXPECT_EQ(parsed->header.response_to, 7);
  const std::string legacy = write_reply({0, 7, 0, wire::opcode::query}, 7, body, false);
  const auto old = wire::parse_op_reply(header_of(legacy), bytes_of(legacy));
  ASSERT_TRUE(old.has_value());
  EXPECT_EQ(old->number_returned, 1);
  EXPECT_EQ(old->documents.size(), encode(body).size());
}

TEST(message, what_is_no_command_closes_the_connection) {
  EXPECT_FALSE(read(framed(wire::opcode::reply, std::string(20, '\0'))).has_value());
  EXPECT_FALSE(read(framed(wire::opcode::insert, std::string(20, '\0'))).has_value());
  EXPECT_FALSE(read(framed(wire::opcode::msg, "")).has_value());
}

TEST(message, a_document_nested_too_deep_is_an_error) {
  document deep;
  for (int i = 0; i < 250; ++i) deep = document{{"a", deep}};
  const std::string payload =
      std::string(5, '\0') + encode(document{{"find", "c"}, {"filter", deep}, {"$db", "d"}});
  EXPECT_THROW(static_cast<void>(read(framed(wire::opcode::msg, payload))), command_failure);
}

TEST(message, any_byte_may_be_wrong) {
  const std::string good = op_msg_of(
      R"({"find": "c", "filter": {"a": {"$in": [1, "x", {"$oid": "507f1f77bcf86cd799439011"}]},
          "r": {"$regularExpression": {"pattern": "^a", "options": "i"}},
          "s": {"$code": "x", "$scope": {"y": 1}}, "b": {"$binary": {"base64": "AAAA",
          "subType": "00"}}}, "$db": "d"})");
  simulator simulated{2};
  connection client = simulated.connect("test");
  std::mt19937 random{1};
  std::size_t answered = 0;
  for (std::size_t at = wire::limits::header_bytes; at < good.size(); ++at) {
    for (int i = 0; i < 8; ++i) {
      std::string bad = good;
      bad[at] = static_cast<char>(random());
      try {
        const auto got = read(bad);
        if (!got) continue;
        EXPECT_TRUE(simulated.run(client, got->in).body.has("ok"));
        ++answered;
      } catch (const command_failure&) {
        ++answered;
      }
    }
  }
  EXPECT_GT(answered, good.size());
}

TEST(bson_codec, gives_back_what_it_read) {
  const document every{{"n", null{}},
                       {"u", undefined{}},
                       {"lo", min_key{}},
                       {"hi", max_key{}},
                       {"t", true},
                       {"i", std::int32_t{-1}},
                       {"l", std::int64_t{1} << 40},
                       {"d", 1.5},
                       {"x", decimal128{{1, 2, 3}}},
                       {"s", std::string{"a\0b", 3}},
                       {"y", symbol{"sym"}},
                       {"o", document{{"a", array{std::int32_t{1}, "two"}}}},
                       {"b", binary{2, std::string{"\1\0\0\0x", 5}}},
                       {"id", object_id{{1, 2, 3}}},
                       {"w", date{-5}},
                       {"ts", timestamp{1, 2}},
                       {"re", regex{"^a", "i"}},
                       {"p", db_pointer{"d.c", object_id{{9}}}},
                       {"c", code{"f()"}},
                       {"cs", code_with_scope{"g()", document{{"a", true}}}}};
  const std::string bytes = encode(every);
  const auto view = wire::document_view::from(bytes_of(bytes));
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(encode(decode(*view)), bytes);
}

using wire::compressor;

std::vector<std::byte> copied_bytes(const std::string& text) {
  const auto bytes = std::as_bytes(std::span{text});
  return {bytes.begin(), bytes.end()};
}

wire::message_header header_at(const std::vector<std::byte>& message) {
  return *wire::parse_header(std::span{message}.first<wire::limits::header_bytes>());
}

std::string some_message() {
  return write_reply({0, 7, 0, wire::opcode::msg}, 7, from_json(R"({"ok": 1})"), false);
}

TEST(compression, is_agreed_on_in_the_clients_order) {
  const document hello =
      from_json(R"({"hello": 1, "compression": ["zstd", "noop", "lz4", 3, "snappy"]})");
  simulator cluster{1};
  connection client = cluster.connect("");
  const auto agreed = [&](const document& sent) {
    const document reply = cluster.run(client, {"hello", "admin", sent, false}).body;
    return encode(document{{"all", array_argument(reply, "compression")}});
  };
  EXPECT_EQ(agreed(hello), encode(document{{"all", array{"zstd", "snappy"}}}));
  EXPECT_EQ(agreed(from_json(R"({"hello": 1})")), encode(document{{"all", array{}}}));
}

TEST(compression, packs_replies_as_their_requests_were) {
  for (const compressor each : {compressor::snappy, compressor::zlib, compressor::zstd}) {
    std::vector<std::byte> message = copied_bytes(pack(some_message(), each));
    auto header = header_at(message);
    EXPECT_EQ(header.op, wire::opcode::compressed);
    std::optional<compressor> by;
    ASSERT_TRUE(unpack(header, message, by));
    EXPECT_EQ(by, each);
    EXPECT_EQ(header.op, wire::opcode::msg);
    message.resize(some_message().size());
    EXPECT_EQ(header_at(message).response_to, 7);
  }
}

TEST(compression, leaves_plain_messages_alone) {
  std::vector<std::byte> message = copied_bytes(some_message());
  const auto before = message;
  auto header = header_at(message);
  std::optional<compressor> by{compressor::zlib};
  EXPECT_TRUE(unpack(header, message, by));
  EXPECT_EQ(by, std::nullopt);
  EXPECT_EQ(message, before);
}

TEST(compression, refuses_what_is_damaged) {
  std::vector<std::byte> message = copied_bytes(pack(some_message(), compressor::zlib));
  auto header = header_at(message);
  std::optional<compressor> by;
  message.back() ^= std::byte{1};
  EXPECT_FALSE(unpack(header, message, by));
}

}  // namespace
}  // namespace scattergate::sim
