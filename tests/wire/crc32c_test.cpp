#include "wire/crc32c.hpp"

#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace scattergate::wire {
namespace {

std::vector<std::byte> some_bytes(std::size_t size) {
  std::mt19937 random{7};
  std::vector<std::byte> made(size);
  for (auto& each : made) each = static_cast<std::byte>(random());
  return made;
}

// RFC 3720, B.4, and the check value of the catalogues of CRCs.
TEST(crc32c, knows_the_published_values) {
  constexpr std::string_view digits = "123456789";
  const auto text = std::as_bytes(std::span{digits});
  const std::vector<std::byte> zeros(32);
  const std::vector<std::byte> ones(32, std::byte{0xff});
  for (const auto each : {crc32c_function{crc32c}, crc32c_function{crc32c_by_table}}) {
    EXPECT_EQ(each(0, text), 0xE3069283U);
    EXPECT_EQ(each(0, zeros), 0x8A9136AAU);
    EXPECT_EQ(each(0, ones), 0x62A8AB43U);
    EXPECT_EQ(each(0, {}), 0U);
  }
}

TEST(crc32c, is_by_the_cpu_what_it_is_by_tables) {
  const auto by_cpu = crc32c_of_cpu();
  if (by_cpu == nullptr) GTEST_SKIP() << "this CPU has no instruction for it";
  constexpr std::size_t longest = 200;
  const auto bytes = some_bytes(longest + 8);
  for (std::size_t begin = 0; begin < 8; ++begin) {
    for (std::size_t size = 0; size <= longest; ++size) {
      const auto part = std::span{bytes}.subspan(begin, size);
      const auto before = static_cast<std::uint32_t>(size * 0x9E3779B9U);
      ASSERT_EQ(by_cpu(before, part), crc32c_by_table(before, part)) << begin << ", " << size;
    }
  }
  const auto many = some_bytes(100'003);
  EXPECT_EQ(by_cpu(1, many), crc32c_by_table(1, many));
}

TEST(crc32c, goes_on_from_what_stands_before) {
  const auto bytes = some_bytes(100);
  for (const auto each : {crc32c_function{crc32c}, crc32c_function{crc32c_by_table}}) {
    const std::uint32_t whole = each(0, bytes);
    for (std::size_t at = 0; at <= bytes.size(); ++at) {
      const auto all = std::span{bytes};
      EXPECT_EQ(each(each(0, all.first(at)), all.subspan(at)), whole) << at;
    }
  }
}

}  // namespace
}  // namespace scattergate::wire
