#include "net/network.hpp"

#include <random>

#include <gtest/gtest.h>

namespace scattergate::net {
namespace {

TEST(network, holds_the_addresses_that_begin_as_it_does) {
  struct row {
    const char* network;
    const char* address;
    bool holds;
  };
  const row rows[] = {
      {"10.0.0.0/8", "10.255.0.1", true},
      {"10.0.0.0/8", "11.0.0.1", false},
      {"10.0.0.0/8", "::ffff:10.1.2.3", true},  // the same address
      {"10.0.0.0/8", "::10.1.2.3", false},
      {"172.16.0.0/12", "172.31.255.255", true},
      {"172.16.0.0/12", "172.32.0.0", false},
      {"10.1.2.3", "10.1.2.3", true},
      {"10.1.2.3", "10.1.2.4", false},
      {"0.0.0.0/0", "203.0.113.9", true},
      {"0.0.0.0/0", "2001:db8::1", false},
      {"::/0", "2001:db8::1", true},
      {"::/0", "203.0.113.9", false},  // IPv6 is meant
      {"fd00::/8", "fdff::1", true},
      {"fd00::/8", "fe80::1", false},
      {"2001:db8::/33", "2001:db8:7fff::1", true},
      {"2001:db8::/33", "2001:db8:8000::1", false},
      {"::1", "::1", true},
      {"::1/128", "::2", false},
      {"::ffff:10.0.0.0/104", "10.9.9.9", true},
  };
  for (const row& one : rows) {
    const auto network = network::parse(one.network);
    const auto address = parse_ip_address(one.address);
    ASSERT_TRUE(network && address) << one.network << " " << one.address;
    EXPECT_EQ(network->contains(*address), one.holds) << one.network << " " << one.address;
  }
}

TEST(network_bytes, are_one_clients) {
  const auto bytes_of = [](const char* text) {
    return std::string{network_bytes(parse_ip_address(text).value())};
  };
  EXPECT_EQ(bytes_of("2001:db8::1"), bytes_of("2001:db8::ffff:1:2"));
  EXPECT_NE(bytes_of("2001:db8::1"), bytes_of("2001:db8:0:1::1"));
  EXPECT_EQ(bytes_of("10.0.0.7"), bytes_of("::ffff:10.0.0.7"));
  EXPECT_NE(bytes_of("10.0.0.7"), bytes_of("10.0.0.8"));
}

TEST(network, is_written_back_as_it_is_read) {
  for (const char* text :
       {"10.0.0.0/8", "10.1.2.3/32", "0.0.0.0/0", "::/0", "fd00::/8", "2001:db8::1/128"}) {
    const auto read = network::parse(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(to_string(*read), text);
  }
  EXPECT_EQ(to_string(*network::parse("10.1.2.3")), "10.1.2.3/32");
}

TEST(network, is_nothing_else) {
  for (const char* text :
       {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8 ", "10.0.0/8",
        "10.0.0.1/8", "10.0.0.0/8/8", "::/129", "::1/64", "localhost", "unix", "a::b::c"}) {
    EXPECT_FALSE(network::parse(text)) << text;
  }
}

/// The first bits of both, one by one.
bool begins_alike(const ip_address& a, const ip_address& b, unsigned bits) {
  for (unsigned bit = 0; bit < bits; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if ((a.bytes[bit / 8] & mask) != (b.bytes[bit / 8] & mask)) return false;
  }
  return true;
}

TEST(network, agrees_with_its_definition_on_random_addresses) {
  std::mt19937 random{20240131};
  std::size_t held = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto number = static_cast<std::uint32_t>(random());
    const auto prefix = static_cast<unsigned>(random() % 33);
    const std::uint32_t first = prefix == 0 ? 0 : number & (~0U << (32 - prefix));
    // An address that usually has the same prefix.
    const std::uint32_t other = number ^ (1U << (random() % 32)) ^ (1U << (random() % 32));
    const auto text = [](std::uint32_t of) {
      return std::to_string(of >> 24) + "." + std::to_string((of >> 16) & 255) + "." +
             std::to_string((of >> 8) & 255) + "." + std::to_string(of & 255);
    };
    const auto network = network::parse(text(first) + "/" + std::to_string(prefix));
    const auto address = parse_ip_address(text(other));
    ASSERT_TRUE(network && address);
    const bool expected = begins_alike(*parse_ip_address(text(first)), *address, 96 + prefix);
    held += expected ? 1 : 0;
    ASSERT_EQ(network->contains(*address), expected)
        << to_string(*network) << " " << text(other);
  }
  EXPECT_GT(held, 1'000U);
}

}  // namespace
}  // namespace scattergate::net
