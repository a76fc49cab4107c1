#include "config/text/scalars.hpp"

#include <gtest/gtest.h>

namespace scattergate::config {
namespace {

using std::chrono::milliseconds;

TEST(durations, are_a_count_and_a_unit) {
  EXPECT_EQ(parse_duration("250ms"), milliseconds{250});
  EXPECT_EQ(parse_duration("30s"), milliseconds{30'000});
  EXPECT_EQ(parse_duration("5m"), milliseconds{300'000});
  EXPECT_EQ(parse_duration("1h"), milliseconds{3'600'000});
  EXPECT_EQ(parse_duration("0s"), milliseconds{0});
  for (const char* text : {"", "s", "30", "30 s", "-1s", "1.5s", "1d", "1S", "1ss", "9000h",
                           "18446744073709551615h", "99999999999999999999s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(sizes, are_bytes_or_binary_multiples) {
  EXPECT_EQ(parse_size("512MiB"), 512ULL << 20);
  EXPECT_EQ(parse_size("64KiB"), 65'536U);
  EXPECT_EQ(parse_size("2GiB"), 2ULL << 30);
  EXPECT_EQ(parse_size("12345"), 12'345U);
  for (const char* text : {"", "MiB", "1MB", "1 MiB", "-1", "1.5GiB", "18446744073709551616",
                           "18446744073709551615GiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(durations_and_sizes, are_shown_as_they_are_read) {
  for (const char* text : {"0ms", "1ms", "1500ms", "90s", "2m", "1h", "25h"}) {
    EXPECT_EQ(show_duration(*parse_duration(text)), text);
  }
  for (const char* text : {"0", "1", "1023", "1KiB", "1536KiB", "512MiB", "3GiB"}) {
    EXPECT_EQ(show_size(*parse_size(text)), text);
  }
}

TEST(switches, are_on_and_off) {
  EXPECT_EQ(parse_switch("on"), true);
  EXPECT_EQ(parse_switch("true"), true);
  EXPECT_EQ(parse_switch("off"), false);
  EXPECT_EQ(parse_switch("false"), false);
  for (const char* text : {"", "yes", "1", "ON", "onn"})
    EXPECT_FALSE(parse_switch(text)) << text;
}

TEST(counts, are_digits_and_nothing_else) {
  EXPECT_EQ(parse_count("18446744073709551615"), UINT64_MAX);
  for (const char* text :
       {"", "-1", "+1", "1.0", "1e3", "0x10", " 1", "18446744073709551616"}) {
    EXPECT_FALSE(parse_count(text)) << text;
  }
}

TEST(hashes, are_sixteen_hexadecimal_digits) {
  EXPECT_EQ(parse_hash("00000000000000ff"), 255U);
  EXPECT_EQ(parse_hash("FFFFFFFFFFFFFFFF"), UINT64_MAX);
  for (const char* text :
       {"", "ff", "00000000000000fg", "0x000000000000ff", "00000000000000ff0"}) {
    EXPECT_FALSE(parse_hash(text)) << text;
  }
}

}  // namespace
}  // namespace scattergate::config
