#include "wire/header.hpp"

#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "tests/wire/messages.hpp"

namespace scattergate::wire {
namespace {

using namespace scattergate::wire_tests;

result<message_header> parse_length(std::int32_t length) {
  std::array<std::byte, limits::header_bytes> raw{};
  store_little(raw.data(), length);
  return parse_header(raw);
}

TEST(header, is_little_endian_in_the_order_of_the_protocol) {
  const bytes raw = joined(little(std::int32_t{0x01020304}), little(std::int32_t{-5}),
                           little(std::int32_t{6}), little(std::int32_t{2013}));
  EXPECT_EQ(raw[0], std::byte{4});
  const auto parsed = parse_header(std::span{raw}.first<16>());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->length, 0x01020304);
  EXPECT_EQ(parsed->request_id, -5);
  EXPECT_EQ(parsed->response_to, 6);
  EXPECT_EQ(parsed->op, opcode::msg);
}

TEST(header, is_written_as_it_is_read) {
  std::array<std::byte, limits::header_bytes> raw{};
  serialize_header({26, -1, std::numeric_limits<std::int32_t>::min(), opcode::compressed}, raw);
  const auto parsed = parse_header(raw);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->length, 26);
  EXPECT_EQ(parsed->request_id, -1);
  EXPECT_EQ(parsed->response_to, std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(parsed->op, opcode::compressed);
}

TEST(header, length_is_16_to_48000000) {
  for (const std::int32_t good : {16, 17, 26, 47'999'999, 48'000'000}) {
    EXPECT_TRUE(parse_length(good)) << good;
  }
  for (const std::int32_t bad :
       {0, 1, 15, -1, -16, 48'000'001, std::numeric_limits<std::int32_t>::max(),
        std::numeric_limits<std::int32_t>::min()}) {
    const auto parsed = parse_length(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error(), wire_errc::bad_length) << bad;
  }
}

TEST(header, every_opcode_of_mongodb_is_known_and_no_other) {
  for (const int known : {1, 2001, 2002, 2004, 2005, 2006, 2007, 2012, 2013}) {
    EXPECT_TRUE(is_known(static_cast<opcode>(known))) << known;
  }
  for (const int unknown : {0, 2, -1, 1000, 2000, 2003, 2008, 2010, 2011, 2014, 0x20544547}) {
    EXPECT_FALSE(is_known(static_cast<opcode>(unknown))) << unknown;
  }
}

TEST(header, an_unknown_opcode_is_passed_on_for_the_caller_to_judge) {
  std::array<std::byte, limits::header_bytes> raw{};
  serialize_header({16, 0, 0, static_cast<opcode>(4711)}, raw);
  const auto parsed = parse_header(raw);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(static_cast<int>(parsed->op), 4711);
}

}  // namespace
}  // namespace scattergate::wire
