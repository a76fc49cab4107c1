#include <set>

#include <gtest/gtest.h>

#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::telemetry {
namespace {

TEST(error_code, has_a_name_where_the_list_has) {
  EXPECT_EQ(error_name(error_place(61)), "ShardKeyNotFound");
  EXPECT_EQ(error_name(error_place(11000)), "DuplicateKey");
  EXPECT_EQ(error_name(error_place(13435)), "NotPrimaryNoSecondaryOk");
  for (const int code : {0, -1, 3, 99'999, 2'147'483'647, -2'147'483'647}) {
    EXPECT_EQ(error_name(error_place(code)), "other") << code;
  }
}

TEST(error_code, names_are_unique) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < error_places; ++i) names.insert(error_name(i));
  EXPECT_EQ(names.size(), error_places);
}

}  // namespace
}  // namespace scattergate::telemetry
