#include "digest/sketch/salt.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "wire/endian.hpp"

namespace scattergate::digest {
namespace {

/// The key of SipHash's reference vectors: bytes 0 to 15.
const salt reference{{0x0706050403020100U, 0x0f0e0d0c0b0a0908U}};

std::uint64_t hash_of_first(std::size_t size) {
  std::array<std::byte, 64> bytes{};
  for (std::size_t i = 0; i != bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const std::span all{bytes};
  return reference.hash(wire::load_little<std::uint64_t>(bytes.data()),
                        all.subspan(8, size - 8));
}

TEST(salt, hashes_as_the_reference_implementation_does) {
  EXPECT_EQ(hash_of_first(8), 0x93f5f5799a932462U);
  EXPECT_EQ(hash_of_first(15), 0xa129ca6149be45e5U);
}

TEST(salt, is_read_of_32_hex_digits) {
  const auto read = salt::of_text("00112233445566778899AABBCCDDEEFF\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id(), salt::of_text("  00112233445566778899aabbccddeeff")->id());
  EXPECT_EQ(read->id().size(), 16U);
  for (const std::string wrong :
       {"", "0011", "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeeff0",
        "-0112233445566778899aabbccddeeff", "0011223344556677 899aabbccddeeff",
        "zz112233445566778899aabbccddeeff"}) {
    EXPECT_FALSE(salt::of_text(wrong)) << wrong;
  }
}

TEST(salt, another_one_hashes_otherwise_and_has_another_id) {
  const salt one = salt::random();
  const salt other = salt::random();
  EXPECT_NE(one.id(), other.id());
  EXPECT_NE(one.hash(1, {}), other.hash(1, {}));
}

}  // namespace
}  // namespace scattergate::digest
