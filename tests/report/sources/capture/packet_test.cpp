#include "report/sources/capture/packet.hpp"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::report {
namespace {

constexpr std::size_t large = 200'000;

tcp_packet packet_of(const std::vector<std::byte>& bytes, std::uint32_t number = 0) {
  tcp_packet made;
  made.number = number;
  made.bytes = bytes;
  return made;
}

TEST(packet_batch, keeps_packets_with_bytes_of_its_own) {
  packet_batch batch;
  std::vector<std::byte> read(3, std::byte{1});
  const digest::wall_time at{std::chrono::seconds{5}};
  batch.add(packet_of(read, 7), at);
  read.assign(3, std::byte{2});  // as libpcap does
  batch.add(packet_of(read, 8), at);
  ASSERT_EQ(batch.packets().size(), 2U);
  const auto& [first, when] = batch.packets().front();
  EXPECT_EQ(first.number, 7U);
  EXPECT_EQ(first.bytes.size(), 3U);
  EXPECT_EQ(first.bytes[0], std::byte{1});
  EXPECT_EQ(when, at);
  EXPECT_EQ(batch.packets().back().first.bytes[2], std::byte{2});
}

TEST(packet_batch, is_full_of_bytes_or_of_packets) {
  packet_batch batch;
  const std::vector<std::byte> bytes(large);
  batch.add(packet_of(bytes), {});
  EXPECT_FALSE(batch.has_room_for(packet_of(bytes)));
  batch.clear();
  const std::vector<std::byte> none;
  std::size_t count = 0;
  for (; batch.has_room_for(packet_of(none)); ++count) batch.add(packet_of(none), {});
  EXPECT_EQ(count, 2048U);
}

TEST(packet_batch, takes_a_packet_of_any_size_alone) {
  packet_batch batch;
  const std::vector<std::byte> bytes(4 * large);
  ASSERT_TRUE(batch.has_room_for(packet_of(bytes)));
  batch.add(packet_of(bytes), {});
  EXPECT_EQ(batch.packets().front().first.bytes.size(), bytes.size());
}

}  // namespace
}  // namespace scattergate::report
