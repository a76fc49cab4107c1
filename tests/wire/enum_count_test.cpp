#include <cstdint>

#include <gtest/gtest.h>

#include "wire/label_table.hpp"

namespace scattergate::wire {
namespace {

enum class counted_colour : std::uint8_t { red, green, blue7 };
enum class fault { first = 1, second };
enum class empty : std::uint8_t {};

TEST(enum_count_test, is_one_more_than_the_last) {
  EXPECT_EQ(enum_count<counted_colour>(), 3);
  EXPECT_EQ((enum_count<fault, 1>()), 3);
  EXPECT_EQ(enum_count<empty>(), 0);
}

TEST(enum_count_test, only_what_has_a_name_is_an_enumerator) {
  EXPECT_TRUE(is_enumerator<counted_colour::blue7>());
  EXPECT_FALSE(is_enumerator<static_cast<counted_colour>(3)>());
  EXPECT_FALSE(is_enumerator<static_cast<fault>(0)>());
}

}  // namespace
}  // namespace scattergate::wire
