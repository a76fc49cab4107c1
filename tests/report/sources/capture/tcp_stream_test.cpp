#include "report/sources/capture/tcp_stream.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wire/endian.hpp"
#include "wire/header.hpp"

namespace scattergate::report {
namespace {

using bytes = std::vector<std::byte>;

bytes message(std::int32_t id, std::size_t size) {
  bytes made(std::max<std::size_t>(size, 16), std::byte{0xAB});
  wire::serialize_header({static_cast<std::int32_t>(made.size()), id, 0, wire::opcode::msg},
                         std::span<std::byte, 16>{made.data(), 16});
  return made;
}

template <typename Number>
void append(bytes& to, Number number) {
  std::array<std::byte, sizeof number> written{};
  wire::store_little(written.data(), number);
  to.insert(to.end(), written.begin(), written.end());
}

/// An OP_MSG {"f": <binary of `size` random bytes>}, as a driver could send it.
bytes sendable(std::int32_t id, std::size_t size, std::mt19937& random) {
  bytes made(16);
  append(made, std::uint32_t{0});
  made.push_back(std::byte{0});
  append(made, static_cast<std::int32_t>(4 + 3 + 5 + size + 1));
  for (const int one : {5, int{'f'}, 0}) made.push_back(static_cast<std::byte>(one));
  append(made, static_cast<std::int32_t>(size));
  made.push_back(std::byte{0});
  for (std::size_t i = 0; i < size; ++i) made.push_back(static_cast<std::byte>(random()));
  made.push_back(std::byte{0});
  wire::serialize_header({static_cast<std::int32_t>(made.size()), id, 0, wire::opcode::msg},
                         std::span<std::byte, 16>{made.data(), 16});
  return made;
}

std::int32_t id_of(std::span<const std::byte> whole) {
  return wire::parse_header(whole.first<16>())->request_id;
}

std::vector<std::int32_t> drained(tcp_stream& stream) {
  std::vector<std::int32_t> ids;
  for (auto one = stream.next(); !one.empty(); one = stream.next()) ids.push_back(id_of(one));
  return ids;
}

struct cut_segment {
  std::uint32_t number;
  std::span<const std::byte> content;
};

std::vector<cut_segment> cut(const bytes& whole, std::uint32_t first, std::mt19937& random) {
  std::vector<cut_segment> segments;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t size = std::min<std::size_t>(whole.size() - at, 1 + random() % 400);
    segments.push_back(
        {first + static_cast<std::uint32_t>(at), std::span{whole}.subspan(at, size)});
    at += size;
  }
  return segments;
}

TEST(tcp_stream, gives_all_messages_whatever_comes_of_their_segments) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random{seed};
    bytes whole;
    constexpr std::int32_t messages = 30;
    for (std::int32_t id = 1; id <= messages; ++id) {
      const bytes one = message(id, 16 + random() % 1'000);
      whole.insert(whole.end(), one.begin(), one.end());
    }
    const std::uint32_t first = 0xFFFFF000U + seed * 17;  // so that the numbers wrap
    auto segments = cut(whole, first + 1, random);
    // Near ones change places, and some come twice.
    for (std::size_t i = 0; i + 5 < segments.size(); ++i) {
      std::swap(segments[i], segments[i + random() % 5]);
      if (random() % 10 == 0) {
        segments.insert(segments.begin() + static_cast<std::ptrdiff_t>(i), segments[i]);
      }
    }
    tcp_stream stream;
    stream.receive({first, true, {}});
    std::vector<std::int32_t> ids;
    for (const cut_segment& one : segments) {
      stream.receive({one.number, false, one.content});
      for (const std::int32_t id : drained(stream)) ids.push_back(id);
    }
    ASSERT_EQ(ids.size(), static_cast<std::size_t>(messages)) << seed;
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    EXPECT_EQ(stream.take_losses(), 0U);
  }
}

/// A stream of messages, and which segments of it are lost.
struct lossy_plan {
  explicit lossy_plan(std::uint32_t seed) : random(seed) {
    for (std::int32_t id = 1; id <= 40; ++id) {
      const bytes one = sendable(id, random() % 900, random);
      begins.push_back(whole.size());
      whole.insert(whole.end(), one.begin(), one.end());
    }
    begins.push_back(whole.size());
    segments = cut(whole, first + 1, random);
    const std::size_t one_in = 2 + random() % 30;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      is_lost.push_back(random() % one_in == 0);
    }
  }

  /// The messages of which no byte is lost.
  [[nodiscard]] std::vector<std::int32_t> intact() const {
    std::vector<std::int32_t> ids;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      bool is_intact = true;
      for (std::size_t j = 0; j < segments.size(); ++j) {
        const std::size_t from = segments[j].number - first - 1;
        const std::size_t to = from + segments[j].content.size();
        if (is_lost[j] && from < begins[i + 1] && to > begins[i]) is_intact = false;
      }
      if (is_intact) ids.push_back(static_cast<std::int32_t>(i + 1));
    }
    return ids;
  }

  std::uint32_t first = 0xFFFF0000U;  // so that the numbers wrap
  std::mt19937 random;
  bytes whole;
  std::vector<std::size_t> begins;
  std::vector<cut_segment> segments;
  std::vector<bool> is_lost;
};

TEST(tcp_stream, loses_the_messages_that_lay_in_lost_segments_and_no_other) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    lossy_plan plan{seed};
    tcp_stream stream;
    stream.receive({plan.first, true, {}});
    std::vector<std::int32_t> ids;
    std::uint64_t lost_bytes = 0;
    const auto drain = [&] {
      for (const std::int32_t id : drained(stream)) ids.push_back(id);
    };
    for (std::size_t i = 0; i < plan.segments.size(); ++i) {
      const cut_segment& one = plan.segments[i];
      if (plan.is_lost[i]) {
        lost_bytes += one.content.size();
      } else {
        stream.receive({one.number, false, one.content});
      }
      drain();
      const auto end = one.number + static_cast<std::uint32_t>(one.content.size());
      if (seed % 3 != 0 && plan.random() % 4 == 0) stream.acknowledge(end);
      drain();
    }
    const bool is_last_lost = plan.is_lost.back();
    stream.finish();
    drain();
    EXPECT_EQ(ids, plan.intact()) << seed;
    if (!is_last_lost) {
      EXPECT_EQ(stream.counts().missing, lost_bytes) << seed;
      EXPECT_EQ(stream.counts().seen + lost_bytes, plan.whole.size());
    }
    EXPECT_EQ(stream.take_losses() != 0, lost_bytes != 0 || ids.size() < 40U) << seed;
  }
}

TEST(tcp_stream, skips_a_gap_that_the_peer_has_acknowledged) {
  std::mt19937 random{1};
  const bytes first = sendable(1, 100, random);
  const bytes lost = sendable(2, 100, random);
  const bytes third = sendable(3, 100, random);
  const auto second_at = static_cast<std::uint32_t>(1 + first.size());
  const auto third_at = static_cast<std::uint32_t>(second_at + lost.size());
  tcp_stream stream;
  stream.receive({0, true, {}});
  stream.receive({1, false, first});
  stream.receive({third_at, false, third});
  stream.acknowledge(third_at - 1);  // a part of it may still come again
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{1});
  stream.acknowledge(third_at);
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{3});
  EXPECT_EQ(stream.take_losses(), 2U);
  EXPECT_EQ(stream.counts().missing, lost.size());
}

TEST(tcp_stream, takes_an_acknowledged_fin_for_no_loss) {
  std::mt19937 random{1};
  const bytes one = sendable(1, 100, random);
  tcp_stream stream;
  stream.receive({0, true, {}});
  stream.receive({1, false, one});
  stream.acknowledge(static_cast<std::uint32_t>(1 + one.size() + 1));
  stream.finish();
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{1});
  EXPECT_EQ(stream.take_losses(), 0U);
  EXPECT_EQ(stream.counts().missing, 0U);
}

TEST(tcp_stream, takes_the_longer_of_two_that_wait_at_the_same_place) {
  const bytes one = message(1, 300);
  tcp_stream stream;
  stream.receive({0, true, {}});
  stream.receive({101, false, std::span{one}.subspan(100, 50)});
  stream.receive({101, false, std::span{one}.subspan(100)});  // sent again, cut otherwise
  stream.receive({1, false, std::span{one}.first(100)});
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{1});
}

TEST(tcp_stream, goes_on_where_its_beginning_comes_again) {
  const bytes one = message(1, 300);
  tcp_stream stream;
  stream.receive({0, true, {}});
  stream.receive({1, false, std::span{one}.first(100)});
  stream.receive({0, true, {}});
  stream.receive({101, false, std::span{one}.subspan(100)});
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{1});
}

TEST(tcp_stream, gives_back_the_memory_of_a_large_message) {
  const bytes one = message(1, 1'000'000);
  tcp_stream stream;
  stream.receive({0, true, {}});
  stream.receive({1, false, std::span{one}});
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{1});
  EXPECT_LT(stream.held_bytes(), 20'000U);
}

TEST(tcp_stream, counts_a_message_that_is_cut_by_the_end) {
  const bytes one = message(1, 300);
  tcp_stream stream;
  stream.receive({0, true, {}});
  stream.receive({1, false, std::span{one}.first(100)});
  stream.finish();
  EXPECT_EQ(stream.take_losses(), 1U);
}

TEST(tcp_stream, goes_on_behind_a_gap_where_a_message_begins) {
  const bytes first = message(1, 100);
  std::mt19937 random{1};
  const bytes third = sendable(3, 100, random);
  tcp_stream stream;
  stream.receive({0, true, {}});
  stream.receive({1, false, first});
  stream.receive({1 + 200, false, third});
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{1});
  stream.finish();
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{3});
  EXPECT_EQ(stream.take_losses(), 1U);
}

TEST(tcp_stream, begins_in_the_middle_with_the_next_message) {
  std::mt19937 random{1};
  const bytes one = sendable(7, 300, random);
  tcp_stream stream;
  stream.receive({5'000, false, std::span{one}.subspan(100)});
  EXPECT_TRUE(drained(stream).empty());
  stream.receive({static_cast<std::uint32_t>(5'000 + one.size() - 100), false, one});
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{7});
}

TEST(tcp_stream, knows_tls_and_holds_nothing_of_it) {
  bytes hello(500, std::byte{0});
  hello[0] = std::byte{22};
  hello[1] = std::byte{3};
  tcp_stream stream;
  stream.receive({0, true, {}});
  stream.receive({1, false, hello});
  stream.receive({501, false, hello});
  EXPECT_EQ(stream.what(), tcp_stream::content::tls);
  EXPECT_EQ(stream.held_bytes(), 0U);
}

TEST(tcp_stream, holds_little_behind_a_gap_that_never_closes) {
  const bytes part(60'000, std::byte{1});
  tcp_stream stream;
  stream.receive({0, true, {}});
  for (std::uint32_t i = 1; i < 200; ++i) stream.receive({i * 100'000, false, part});
  EXPECT_LT(stream.held_bytes(), 5'000'000U);
  EXPECT_GT(stream.take_losses(), 0U);
}

TEST(tcp_stream, begins_anew_with_a_new_connection_on_the_same_ports) {
  const bytes one = message(1, 200);
  const bytes other = message(2, 50);
  tcp_stream stream;
  stream.receive({0, true, {}});
  stream.receive({1, false, std::span{one}.first(100)});
  stream.receive({90'000, true, {}});
  stream.receive({90'001, false, other});
  EXPECT_EQ(drained(stream), std::vector<std::int32_t>{2});
}

}  // namespace
}  // namespace scattergate::report
