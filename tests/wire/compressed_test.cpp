#include "wire/compressed.hpp"

#include <limits>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/wire/compressors.hpp"
#include "tests/wire/messages.hpp"
#include "wire/command.hpp"

namespace scattergate::wire {
namespace {

using namespace wire_tests;

bytes find_message() {
  return op_msg_bytes(
      0, body_section(document(string_field("find", "items"),
                               field(0x03, "filter", document(int32_field("tenant", 1))),
                               string_field("comment", std::string(200, 'c')),
                               string_field("$db", "app"))));
}

/// An OP_COMPRESSED with any head.
bytes packed_bytes(std::int32_t original, std::int32_t size, int by, const bytes& payload) {
  return message(
      opcode::compressed, 7,
      joined(little(original), little(size), little(static_cast<std::uint8_t>(by)), payload));
}

result<op_compressed> parsed(const bytes& whole) {
  return parse_op_compressed(header_of(whole), whole);
}

class a_decompressor : public testing::TestWithParam<compressor> {
 protected:
  /// The result of unpacking `whole`: the message, or the error.
  result<bytes> unpacked(const bytes& whole, std::size_t scratch_bytes = 100'000) {
    const auto packed = parsed(whole);
    if (!packed) return packed.error();
    bytes scratch(scratch_bytes, std::byte{0xaa});
    const auto message = unpacker_.unpack(*packed, scratch);
    if (!message) return message.error();
    return bytes(message->begin(), message->end());
  }
  static bytes payload_of(const bytes& body, compressor by) {
    const bytes packed = compress(message(opcode::msg, 7, body), by);
    return {packed.begin() + 25, packed.end()};
  }

  decompressor unpacker_;
};

TEST_P(a_decompressor, gives_back_the_message_with_its_header) {
  for (const std::size_t extra : {0, 1, 1000, 90'000}) {
    bytes original = joined(find_message(), bytes(extra, std::byte{7}));
    store_little(original.data(), size_of(original));
    store_little(original.data() + 8, std::int32_t{-3});  // responseTo
    const bytes packed = compress(original, GetParam());
    EXPECT_EQ(header_of(packed).request_id, 7);
    EXPECT_EQ(header_of(packed).response_to, -3);
    EXPECT_EQ(unpacked(packed).value(), original);
  }
}

TEST_P(a_decompressor, gives_a_message_that_reads_as_if_it_had_come_plain) {
  const bytes original = unpacked(compress(find_message(), GetParam())).value();
  const auto command = parse_command(header_of(original), original);
  ASSERT_TRUE(command);
  EXPECT_EQ(command->name, "find");
  EXPECT_EQ(command->collection, "items");
  EXPECT_EQ(command->request_id, 7);
}

TEST_P(a_decompressor, takes_a_body_of_nothing) {
  EXPECT_EQ(unpacked(compress(message(opcode::msg, 7, {}), GetParam())).value(),
            message(opcode::msg, 7, {}));
}

TEST_P(a_decompressor, refuses_a_claim_that_is_not_the_real_size) {
  const bytes body(300, std::byte{'b'});
  const bytes payload = payload_of(body, GetParam());
  for (const std::int32_t size : {0, 1, 299, 301, 302, 90'000}) {
    const bytes lying = packed_bytes(2013, size, static_cast<int>(GetParam()), payload);
    EXPECT_EQ(unpacked(lying).error(), wire_errc::bad_compression) << size;
  }
}

/// As mongos's calls do: uncompress() stops at the stream's end, ZSTD_decompress() continues.
TEST_P(a_decompressor, takes_what_mongos_takes_behind_the_end) {
  const bytes body(300, std::byte{'b'});
  const bytes payload = payload_of(body, GetParam());
  for (const std::size_t extra : {1, 4, 100}) {
    const bytes longer =
        packed_bytes(2013, 300, static_cast<int>(GetParam()), joined(payload, bytes(extra)));
    EXPECT_EQ(unpacked(longer).has_value(), GetParam() == compressor::zlib);
  }
  const bytes twice = joined(payload, payload);
  EXPECT_EQ(unpacked(packed_bytes(2013, 600, static_cast<int>(GetParam()), twice)).has_value(),
            GetParam() == compressor::none || GetParam() == compressor::zstd);
}

TEST_P(a_decompressor, refuses_a_payload_cut_anywhere) {
  const bytes body = find_message();
  const bytes payload = payload_of(body, GetParam());
  for (std::size_t size = 0; size < payload.size(); ++size) {
    const bytes cut(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(
        unpacked(packed_bytes(2013, size_of(body), static_cast<int>(GetParam()), cut)).error(),
        wire_errc::bad_compression)
        << size;
  }
}

TEST_P(a_decompressor, survives_every_flipped_byte_and_works_on) {
  const bytes body = find_message();
  const bytes good = packed_bytes(2013, size_of(body), static_cast<int>(GetParam()),
                                  payload_of(body, GetParam()));
  for (std::size_t at = 25; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      bytes bad = good;
      bad[at] ^= static_cast<std::byte>(flip);
      const auto message = unpacked(bad);
      // Not every compressor has a checksum: some other message of that size may come out.
      if (message) {
        EXPECT_EQ(message->size(), body.size() + 16);
      } else {
        EXPECT_EQ(message.error(), wire_errc::bad_compression);
      }
    }
  }
  EXPECT_EQ(unpacked(good).value(), message(opcode::msg, 7, body));
}

TEST_P(a_decompressor, never_writes_beyond_the_claim) {
  const bytes body(300, std::byte{'b'});
  for (const std::int32_t claim : {100, 300}) {
    const bytes whole =
        packed_bytes(2013, claim, static_cast<int>(GetParam()), payload_of(body, GetParam()));
    bytes scratch(1000, std::byte{0xaa});
    (void)unpacker_.unpack(parsed(whole).value(), scratch);
    for (std::size_t i = static_cast<std::size_t>(claim) + 16; i < scratch.size(); ++i) {
      ASSERT_EQ(scratch[i], std::byte{0xaa}) << i;
    }
  }
}

TEST_P(a_decompressor, refuses_what_does_not_fit_the_scratch) {
  const bytes whole = compress(find_message(), GetParam());
  const auto size = find_message().size();
  EXPECT_EQ(unpacked(whole, size - 1).error(), wire_errc::too_large);
  EXPECT_TRUE(unpacked(whole, size));
}

TEST_P(a_decompressor, refuses_what_another_compressor_made) {
  for (const compressor other : every_compressor) {
    if (other == GetParam()) continue;
    const bytes body(300, std::byte{'b'});
    const bytes whole =
        packed_bytes(2013, 300, static_cast<int>(other), payload_of(body, GetParam()));
    EXPECT_EQ(unpacked(whole).error(), wire_errc::bad_compression) << name_of(other);
  }
}

INSTANTIATE_TEST_SUITE_P(each, a_decompressor, testing::ValuesIn(every_compressor),
                         [](const auto& of) { return std::string{name_of(of.param)}; });

TEST(op_compressed, has_a_head_of_nine_bytes) {
  const bytes whole = packed_bytes(2013, 0, 0, {});
  EXPECT_TRUE(parsed(whole));
  for (std::size_t size = 16; size < whole.size(); ++size) {
    bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    store_little(cut.data(), size_of(cut));
    EXPECT_EQ(parsed(cut).error(), wire_errc::short_message) << size;
  }
}

TEST(op_compressed, is_refused_for_what_it_claims) {
  constexpr std::int32_t most = 48'000'000 - 16;
  const std::tuple<std::int32_t, std::int32_t, int, wire_errc> cases[] = {
      {2012, 10, 1, wire_errc::compressed},
      {2010, 10, 1, wire_errc::unexpected_opcode},
      {-1, 10, 1, wire_errc::unexpected_opcode},
      {2013, 10, 4, wire_errc::unknown_compressor},
      {2013, 10, 255, wire_errc::unknown_compressor},
      {2013, -1, 1, wire_errc::bad_compression},
      {2013, std::numeric_limits<std::int32_t>::min(), 1, wire_errc::bad_compression},
      {2013, most + 1, 1, wire_errc::bad_compression},
      {2013, most, 1, wire_errc::compression_ratio},
      {2013, (16 * 1024 + 16) * 1024 + 1, 3, wire_errc::compression_ratio},
  };
  for (const auto& [original, size, by, error] : cases) {
    EXPECT_EQ(parsed(packed_bytes(original, size, by, bytes(100))).error(), error)
        << original << ' ' << size << ' ' << by;
  }
  EXPECT_TRUE(parsed(packed_bytes(2013, most, 1, bytes(44'000))));
  EXPECT_TRUE(parsed(packed_bytes(2013, (16 * 1024 + 16) * 1024, 3, bytes(20))));
  for (const std::int32_t original : {2001, 2002, 2004, 2005, 2006, 2007}) {
    EXPECT_TRUE(parsed(packed_bytes(original, 10, 1, bytes(10)))) << original;
  }
  EXPECT_TRUE(parsed(packed_bytes(1, 10, 1, bytes(10))));
}

TEST(op_compressed, lets_pass_the_best_that_zlib_can_do) {
  const bytes zeros = message(opcode::msg, 7, bytes(20'000'000));
  EXPECT_TRUE(parsed(compress(zeros, compressor::zlib)));
  EXPECT_TRUE(parsed(compress(zeros, compressor::snappy)));
  EXPECT_EQ(parsed(compress(zeros, compressor::zstd)).error(), wire_errc::compression_ratio);
  EXPECT_TRUE(parse_op_compressed(header_of(compress(zeros, compressor::zstd)),
                                  compress(zeros, compressor::zstd), 1'000'000));
}

TEST(op_compressed, knows_its_compressors_by_name) {
  for (const compressor each : every_compressor) {
    EXPECT_EQ(compressor_named(name_of(each)), each);
  }
  EXPECT_EQ(compressor_named("lz4"), std::nullopt);
}

}  // namespace
}  // namespace scattergate::wire
