#include "wire/label_table.hpp"

#include <gtest/gtest.h>

namespace scattergate::wire {
namespace {

enum class colour : unsigned char { red, green };
enum class size { small = 1, large };

constexpr label_table<colour> colours{{{colour::red, "red"}, {colour::green, "green"}}};
constexpr label_table<size, 1> sizes{{{size::small, "small"}, {size::large, "large"}}};

TEST(label_table, has_the_label_of_each_value) {
  EXPECT_EQ(colours[colour::green], "green");
  EXPECT_EQ(sizes[size::small], "small");
  EXPECT_EQ(sizes[size::large], "large");
}

TEST(label_table, is_empty_for_what_is_no_value) {
  EXPECT_EQ(colours[static_cast<colour>(2)], "");
  EXPECT_EQ(sizes[static_cast<size>(0)], "");
  EXPECT_EQ(sizes[static_cast<size>(3)], "");
}

TEST(label_table, finds_the_value_of_a_label) {
  EXPECT_EQ(colours.find("red"), colour::red);
  EXPECT_EQ(sizes.find("large"), size::large);
  EXPECT_FALSE(colours.find("blue"));
}

}  // namespace
}  // namespace scattergate::wire
