#include "text/nearest.hpp"

#include <gtest/gtest.h>

namespace scattergate::text {
namespace {

const std::vector<std::string_view> keys = {"listen", "upstream", "tls", "upstream_tls", "on"};

struct written {
  std::string_view text;
  std::string_view meant;
};

class nearest_name : public testing::TestWithParam<written> {};

TEST_P(nearest_name, is_what_was_meant) {
  EXPECT_EQ(nearest(GetParam().text, keys), GetParam().meant);
}

INSTANTIATE_TEST_SUITE_P(cases, nearest_name,
                         testing::Values(written{"lisen", "listen"},       // a letter missing
                                         written{"listenn", "listen"},     // one too many
                                         written{"upstreem", "upstream"},  // one wrong
                                         written{"lsiten", "listen"},      // two changed round
                                         written{"upstraem_lts", "upstream_tls"},
                                         written{"tsl", "tls"}, written{"no", "on"},
                                         written{"listen", "listen"},
                                         written{"password", ""},  // nothing like it
                                         written{"x", ""},         // anything would do
                                         written{"", ""}));

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
