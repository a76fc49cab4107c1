#include "wire/stepwise_decompressor.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/wire/compressors.hpp"
#include "wire/compressed.hpp"

namespace scattergate::wire {
namespace {

using bytes = std::vector<std::byte>;
using wire_tests::every_compressor;
using state = stepwise_decompressor::state;

/// No step may take longer than some milliseconds, in units of about a nanosecond.
constexpr std::uint64_t most_units = 3'000'000;

/// Words of few kinds, some noise between them: all that compressors know to do.
bytes content(std::size_t size) {
  std::mt19937 random{11};
  bytes made;
  made.reserve(size + 64);
  while (made.size() < size) {
    const std::string word = "word" + std::to_string(random() % 700) + " ";
    const auto as_bytes = std::as_bytes(std::span{word});
    made.insert(made.end(), as_bytes.begin(), as_bytes.end());
    if (random() % 5 == 0) made.push_back(static_cast<std::byte>(random()));
  }
  made.resize(size);
  return made;
}

bytes packed_by(compressor by, const bytes& body) {
  bytes message(limits::header_bytes);
  message.insert(message.end(), body.begin(), body.end());
  serialize_header({static_cast<std::int32_t>(message.size()), 1, 0, opcode::msg},
                   std::span{message}.first<limits::header_bytes>());
  const bytes packed = compress(message, by);
  const auto payload = payload_of(packed);
  return {payload.begin(), payload.end()};
}

bool unpacks(const bytes& payload, bytes& room) {
  uLongf size = room.size();
  return uncompress(reinterpret_cast<Bytef*>(room.data()), &size,
                    reinterpret_cast<const Bytef*>(payload.data()), payload.size()) == Z_OK &&
         size == room.size();
}

struct run_outcome {
  state end = state::under_way;
  int steps = 0;
  std::uint64_t dearest = 0;
};

run_outcome run(compressor by, const bytes& payload, bytes& body) {
  stepwise_decompressor steps{by, body.size()};
  run_outcome seen;
  constexpr int enough = 100'000;
  while (seen.end == state::under_way && seen.steps < enough) {
    seen.end = steps.advance(payload, body);
    seen.dearest = std::max(seen.dearest, steps.cost());
    ++seen.steps;
  }
  return seen;
}

TEST(stepwise_decompressor, unpacks_in_many_small_steps_what_was_packed) {
  const bytes body = content(3'000'000);
  for (const compressor by : every_compressor) {
    bytes unpacked(body.size());
    const run_outcome seen = run(by, packed_by(by, body), unpacked);
    EXPECT_EQ(seen.end, state::done) << name_of(by);
    EXPECT_EQ(unpacked, body) << name_of(by);
    EXPECT_GE(seen.steps, 10) << name_of(by);
    EXPECT_LE(seen.dearest, most_units) << name_of(by);
  }
}

TEST(stepwise_decompressor, unpacks_what_was_packed_into_next_to_nothing) {
  const bytes body(5'000'000);
  for (const compressor by : {compressor::zlib, compressor::zstd}) {
    bytes unpacked(body.size(), std::byte{1});
    const run_outcome seen = run(by, packed_by(by, body), unpacked);
    EXPECT_EQ(seen.end, state::done) << name_of(by);
    EXPECT_EQ(unpacked, body) << name_of(by);
    EXPECT_GE(seen.steps, 10) << name_of(by);
  }
}

TEST(stepwise_decompressor, refuses_what_is_not_exactly_as_large_as_claimed) {
  const bytes body = content(700'000);
  for (const compressor by : every_compressor) {
    const bytes payload = packed_by(by, body);
    for (const std::size_t size : {body.size() - 1, body.size() + 1, std::size_t{0}}) {
      bytes room(size);
      EXPECT_EQ(run(by, payload, room).end, state::broken) << name_of(by) << " " << size;
    }
    bytes room(body.size());
    const bytes cut(payload.begin(), payload.end() - 1);
    EXPECT_EQ(run(by, cut, room).end, state::broken) << name_of(by);
    bytes longer = payload;
    longer.push_back(std::byte{0});
    const bool is_accepted =
        by == compressor::zlib;  // uncompress() doesn't look behind the end
    EXPECT_EQ(run(by, longer, room).end == state::done, is_accepted) << name_of(by);
    EXPECT_EQ(run(by, {}, room).end, state::broken) << name_of(by);
  }
}

bytes operator+(bytes one, const bytes& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

bytes part(const bytes& of, std::size_t from, std::size_t to) {
  return {of.begin() + static_cast<std::ptrdiff_t>(from),
          of.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// A frame without its content's size, so it contains a window size.
bytes zstd_frame(const bytes& body, int window_log) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 0);
  bytes frame(ZSTD_compressBound(body.size()));
  ZSTD_inBuffer in{body.data(), body.size() / 2, 0};
  ZSTD_outBuffer out{frame.data(), frame.size(), 0};
  while (in.pos < in.size) ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_continue);
  in.size = body.size();
  while (ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end) != 0) {
  }
  frame.resize(out.pos);
  return frame;
}

bytes skippable(std::uint32_t size) {
  bytes frame(8 + size, std::byte{0x77});
  const std::uint32_t head[] = {ZSTD_MAGIC_SKIPPABLE_START + 3U, size};
  std::memcpy(frame.data(), head, sizeof head);
  return frame;
}

/// mongos calls uncompress() and ZSTD_decompress(), which read more than what compressors make.
TEST(stepwise_decompressor, accepts_whatever_the_calls_of_mongos_accept) {
  const bytes body = content(700'000);
  const bytes halves = packed_by(compressor::zstd, part(body, 0, 400'000)) +
                       packed_by(compressor::zstd, part(body, 400'000, body.size()));
  bytes widest = zstd_frame(body, 20);
  ASSERT_EQ(widest[4] & std::byte{0x20}, std::byte{});
  widest[5] = std::byte{(31 - 10) << 3};  // 2 GiB
  const bytes zlib = packed_by(compressor::zlib, body);
  struct {
    const char* what;
    compressor by;
    bytes payload;
    bool is_accepted;
  } const rows[] = {
      {"bytes behind zlib's end", compressor::zlib, zlib + content(100), true},
      {"another stream behind zlib's end", compressor::zlib, zlib + zlib, true},
      {"two frames", compressor::zstd, halves, true},
      {"an empty frame", compressor::zstd, packed_by(compressor::zstd, {}) + halves, true},
      {"skippable frames", compressor::zstd, skippable(0) + halves + skippable(70'000), true},
      {"a window of 16 MiB", compressor::zstd, zstd_frame(body, 24), true},
      {"a window of 2 GiB", compressor::zstd, widest, true},
      {"no frame behind a frame", compressor::zstd, halves + content(10), false},
      {"a cut skippable frame", compressor::zstd, halves + part(skippable(9), 0, 16), false},
      {"too few bytes for a frame", compressor::zstd, halves + content(3), false},
      {"a frame too many", compressor::zstd, halves + packed_by(compressor::zstd, body), false},
      {"skippable frames alone", compressor::zstd, skippable(0) + skippable(9), false},
  };
  decompressor at_once;
  for (const auto& [what, by, payload, is_accepted] : rows) {
    bytes room(body.size());
    EXPECT_EQ(run(by, payload, room).end, is_accepted ? state::done : state::broken) << what;
    EXPECT_TRUE(!is_accepted || room == body) << what;
    op_compressed packed;
    packed.by = by;
    packed.payload = payload;
    packed.original.length = static_cast<std::int32_t>(limits::header_bytes + body.size());
    bytes scratch(limits::header_bytes + body.size());
    EXPECT_EQ(at_once.unpack(packed, scratch).has_value(), is_accepted) << what;
    EXPECT_TRUE(!is_accepted || part(scratch, limits::header_bytes, scratch.size()) == body)
        << what;
    const bool as_mongos = by == compressor::zlib
                               ? unpacks(payload, room)
                               : ZSTD_decompress(room.data(), room.size(), payload.data(),
                                                 payload.size()) == room.size();
    EXPECT_EQ(as_mongos, is_accepted) << what;
  }
}

/// For any bytes, it ends with the same result as the library's one-call function.
TEST(stepwise_decompressor, agrees_with_unpacking_in_one_go_about_damaged_bytes) {
  const bytes body = content(20'000);
  decompressor at_once;
  std::mt19937 random{5};
  for (const compressor by : every_compressor) {
    const bytes good = packed_by(by, body);
    int accepted = 0;
    for (int i = 0; i < 100; ++i) {
      bytes payload = good;
      const int spoils = static_cast<int>(random() % 3);
      for (int j = 0; j < spoils; ++j) {
        payload[random() % payload.size()] = static_cast<std::byte>(random());
      }
      bytes room(body.size());
      const bool is_done = run(by, payload, room).end == state::done;
      op_compressed packed;
      packed.by = by;
      packed.payload = payload;
      packed.original.length = static_cast<std::int32_t>(limits::header_bytes + body.size());
      bytes scratch(limits::header_bytes + body.size());
      const auto expected = at_once.unpack(packed, scratch);
      ASSERT_EQ(is_done, expected.has_value()) << name_of(by) << " " << i;
      if (!is_done) continue;
      ++accepted;
      EXPECT_TRUE(std::equal(room.begin(), room.end(), expected->begin() + 16));
    }
    EXPECT_GT(accepted, 15) << name_of(by);
  }
}

/// Decoding tables that each produce one byte cost more than the output size suggests.
TEST(stepwise_decompressor, goes_slowly_through_much_that_makes_little) {
  constexpr int blocks = 10'000;
  bytes payload(64UL * blocks);
  z_stream packing{};
  ASSERT_EQ(deflateInit2(&packing, 9, Z_DEFLATED, 15, 9, Z_DEFAULT_STRATEGY), Z_OK);
  packing.next_out = reinterpret_cast<Bytef*>(payload.data());
  packing.avail_out = static_cast<uInt>(payload.size());
  Bytef one = 'x';
  for (int i = 0; i < blocks; ++i) {
    packing.next_in = &one;
    packing.avail_in = 1;
    ASSERT_EQ(deflate(&packing, i + 1 == blocks ? Z_FINISH : Z_FULL_FLUSH),
              i + 1 == blocks ? Z_STREAM_END : Z_OK);
  }
  payload.resize(packing.total_out);
  deflateEnd(&packing);
  bytes room(blocks);
  const run_outcome seen = run(compressor::zlib, payload, room);
  EXPECT_EQ(seen.end, state::done);
  EXPECT_GE(static_cast<std::size_t>(seen.steps), payload.size() / 20'000);
}

TEST(stepwise_decompressor, knows_every_form_of_snappys_format) {
  struct {
    const char* what;
    std::vector<unsigned> packed;
    std::string expected;  // empty: refused
  } const cases[] = {
      {"a literal", {3, 2 << 2, 'a', 'b', 'c'}, "abc"},
      {"a literal with its length in a byte", {2, 60 << 2, 1, 'a', 'b'}, "ab"},
      {"a literal with its length in four", {2, 63 << 2, 1, 0, 0, 0, 'a', 'b'}, "ab"},
      {"a copy of 11 bits", {6, 1 << 2, 'a', 'b', 1, 2}, "ababab"},
      {"a copy of 16 bits", {5, 1 << 2, 'a', 'b', 2 << 2 | 2, 2, 0}, "ababa"},
      {"a copy of 32 bits", {5, 1 << 2, 'a', 'b', 2 << 2 | 3, 2, 0, 0, 0}, "ababa"},
      {"a copy from before the start", {6, 1 << 2, 'a', 'b', 1, 3}, ""},
      {"a copy from nowhere", {6, 1 << 2, 'a', 'b', 1, 0}, ""},
      {"a copy beyond the end", {5, 1 << 2, 'a', 'b', 1, 2}, ""},
      {"a literal beyond the end", {1, 1 << 2, 'a', 'b'}, ""},
      {"a literal that is cut", {3, 2 << 2, 'a', 'b'}, ""},
      {"a length that is cut", {2, 63 << 2, 1, 0, 0}, ""},
      {"another size", {4, 2 << 2, 'a', 'b', 'c'}, ""},
      {"a size without end", {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, ""},
      {"something behind it", {1, 0, 'a', 0}, ""},
  };
  for (const auto& [what, packed, expected] : cases) {
    bytes payload;
    for (const unsigned each : packed) payload.push_back(static_cast<std::byte>(each));
    bytes room(expected.empty() ? (packed[0] & 0x7fU) : expected.size());
    if (std::string_view{what} == "another size") room.resize(3);
    stepwise_decompressor steps{compressor::snappy, room.size()};
    EXPECT_EQ(steps.advance(payload, room), expected.empty() ? state::broken : state::done)
        << what;
    if (expected.empty()) continue;
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(room.data()), room.size()), expected);
    std::string by_library;
    EXPECT_TRUE(snappy::Uncompress(reinterpret_cast<const char*>(payload.data()),
                                   payload.size(), &by_library));
    EXPECT_EQ(by_library, expected) << what;
  }
}

}  // namespace
}  // namespace scattergate::wire
