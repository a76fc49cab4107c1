#include "wire/server_error.hpp"

#include <gtest/gtest.h>

namespace scattergate::wire {
namespace {

TEST(server_error, has_mongodbs_name_where_it_has_one) {
  EXPECT_EQ(name_of(server_errc::illegal_operation), "IllegalOperation");
  EXPECT_EQ(name_of(static_cast<server_errc>(462)), "IngressRequestRateLimitExceeded");
  EXPECT_EQ(name_of(server_errc::unrecognized_stage), "Location40324");
  EXPECT_EQ(name_of(static_cast<server_errc>(3)), "");
}

}  // namespace
}  // namespace scattergate::wire
