#include "sim/execution/compression.hpp"

#include <span>
#include <stdexcept>

#include <gtest/gtest.h>

#include "sim/message.hpp"
#include "sim/values/bson_codec.hpp"
#include "tests/sim/from_json.hpp"

namespace scattergate::sim {
namespace {

using wire::compressor;

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span{text});
  return {bytes.begin(), bytes.end()};
}

wire::message_header header_of(const std::vector<std::byte>& message) {
  return *wire::parse_header(std::span{message}.first<wire::limits::header_bytes>());
}

std::string some_message() {
  return write_reply({0, 7, 0, wire::opcode::msg}, 7, from_json(R"({"ok": 1})"), false);
}

TEST(compression, is_agreed_on_in_the_clients_order) {
  const document hello =
      from_json(R"({"hello": 1, "compression": ["zstd", "noop", "lz4", 3, "snappy"]})");
  EXPECT_EQ(encode(document{{"all", agreed_compressors(hello)}}),
            encode(document{{"all", array{"zstd", "snappy"}}}));
  EXPECT_TRUE(agreed_compressors(from_json(R"({"hello": 1})")).empty());
}

TEST(compression, packs_replies_as_their_requests_were) {
  for (const compressor each : {compressor::snappy, compressor::zlib, compressor::zstd}) {
    std::vector<std::byte> message = bytes_of(pack(some_message(), each));
    auto header = header_of(message);
    EXPECT_EQ(header.op, wire::opcode::compressed);
    std::optional<compressor> by;
    ASSERT_TRUE(unpack(header, message, by));
    EXPECT_EQ(by, each);
    EXPECT_EQ(header.op, wire::opcode::msg);
    message.resize(some_message().size());
    EXPECT_EQ(header_of(message).response_to, 7);
  }
}

TEST(compression, leaves_plain_messages_alone) {
  std::vector<std::byte> message = bytes_of(some_message());
  const auto before = message;
  auto header = header_of(message);
  std::optional<compressor> by{compressor::zlib};
  EXPECT_TRUE(unpack(header, message, by));
  EXPECT_EQ(by, std::nullopt);
  EXPECT_EQ(message, before);
}

TEST(compression, refuses_what_is_damaged) {
  std::vector<std::byte> message = bytes_of(pack(some_message(), compressor::zlib));
  auto header = header_of(message);
  std::optional<compressor> by;
  message.back() ^= std::byte{1};
  EXPECT_FALSE(unpack(header, message, by));
}

}  // namespace
}  // namespace scattergate::sim
