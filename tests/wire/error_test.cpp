#include "wire/error.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace scattergate::wire {
namespace {

TEST(wire_error, every_value_has_a_label_of_its_own) {
  std::set<std::string_view> labels;
  for (std::size_t value = 1; value != wire_errc_count; ++value) {
    const auto name = label(static_cast<wire_errc>(value));
    EXPECT_NE(name, "unknown") << value;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos);
    labels.insert(name);
  }
  EXPECT_EQ(labels.size(), wire_errc_count - 1);
}

TEST(wire_error, a_value_outside_the_list_has_a_label_too) {
  EXPECT_EQ(label(static_cast<wire_errc>(0)), "unknown");
  EXPECT_EQ(label(static_cast<wire_errc>(4711)), "unknown");
}

TEST(wire_error, becomes_an_error_code_whose_message_is_the_label) {
  const boost::system::error_code code = wire_errc::body_count;
  EXPECT_EQ(code.message(), "body_count");
  EXPECT_EQ(code.category(), wire_category());
  EXPECT_STREQ(code.category().name(), "scattergate.wire");
  EXPECT_EQ(code, wire_errc::body_count);
}

TEST(wire_error, a_result_throws_it_where_no_one_asked) {
  const result<int> failed = wire_errc::too_large;
  try {
    static_cast<void>(failed.value());
    FAIL() << "no exception";
  } catch (const boost::system::system_error& error) {
    EXPECT_EQ(error.code(), wire_errc::too_large);
  }
}

}  // namespace
}  // namespace scattergate::wire
