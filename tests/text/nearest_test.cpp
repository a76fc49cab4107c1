#include <gtest/gtest.h>

#include "text/names.hpp"

namespace scattergate::text {
namespace {

const std::vector<std::string_view> keys = {"listen", "upstream", "tls", "upstream_tls", "on"};

struct nearest_case {
  std::string_view text;
  std::string_view meant;
};

class nearest_name : public testing::TestWithParam<nearest_case> {};

TEST_P(nearest_name, is_what_was_meant) {
  EXPECT_EQ(nearest(GetParam().text, keys), GetParam().meant);
}

INSTANTIATE_TEST_SUITE_P(cases, nearest_name,
                         testing::Values(nearest_case{"lisen", "listen"},    // a letter missing
                                         nearest_case{"listenn", "listen"},  // one too many
                                         nearest_case{"upstreem", "upstream"},  // one wrong
                                         nearest_case{"lsiten", "listen"},  // two changed round
                                         nearest_case{"upstraem_lts", "upstream_tls"},
                                         nearest_case{"tsl", "tls"}, nearest_case{"no", "on"},
                                         nearest_case{"listen", "listen"},
                                         nearest_case{"password", ""},  // nothing like it
                                         nearest_case{"x", ""},         // anything would do
                                         nearest_case{"", ""}));

TEST(nearest_name_of_long_texts, is_none) {
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), keys), "");
  EXPECT_EQ(nearest("listen", {std::string_view{}}), "");
}

TEST(did_you_mean, is_said_only_where_there_is_something) {
  EXPECT_EQ(did_you_mean("lisen", keys), "; did you mean 'listen'?");
  EXPECT_EQ(did_you_mean("password", keys), "");
}

}  // namespace
}  // namespace scattergate::text
