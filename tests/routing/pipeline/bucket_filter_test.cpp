#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

namespace scattergate::routing_tests {
namespace {

/// The target of a find whose `$or` is on times of shard 0. `beside`: the rest of its filter.
/// Times are years; a bucket spans an hour.
std::string where_beside(std::string_view beside, std::string_view version) {
  std::string filter = R"("$or": [{"t": {"$lte": @2018}}, {"t": @2018}])";
  if (!beside.empty()) filter = std::string{beside} + ", " + filter;
  for (std::size_t at = 0; (at = filter.find('@', at)) != filter.npos;) {
    const std::string year = filter.substr(at + 1, 4);
    filter.replace(at, 5, R"({"$date": ")" + year + R"(-11-11T00:00:00Z"})");
  }
  const auto entries = catalog_of(R"({"version": ")" + std::string{version} +
                                  R"(", "collections": [{"ns": "db.system.buckets.c",
      "key": {"control.min.t": 1}, "timeSeries": {"time": "t", "meta": "m", "span": 3600},
      "splits": [{"control.min.t": {"$date": "2020-01-01T00:00:00Z"}}],
      "shards": ["0", "1"]}]})");
  return judged(entries, R"({"find": "c", "filter": {)" + filter + "}}").where();
}

constexpr auto everywhere = "scatter_gather 0,1";

class bucket_filter : public testing::TestWithParam<const char*> {
 protected:
  static std::string beside(std::string_view part) { return where_beside(part, GetParam()); }
};

TEST_P(bucket_filter, an_or_of_times_bounds_next_to_what_bounds_nothing) {
  EXPECT_EQ(beside(""), "single_shard 0");
  EXPECT_EQ(beside(R"("x": {"$in": [5, 6]})"), "single_shard 0");
  EXPECT_EQ(beside(R"("$nor": [{"x": 5}])"), "single_shard 0");
  EXPECT_EQ(beside(R"("$and": [{"$or": [{"x": 5}, {"t": @2021}]}])"), "single_shard 0");
}

/// mongo: bucket_spec.cpp at 1c287af4e8f1, createPredicatesOnBucketLevelField: a list of times
/// becomes an $or. Of several mongos plans by one (plan_enumerator.cpp, enumerateOneIndex).
TEST_P(bucket_filter, an_or_bounds_nothing_next_to_one_that_is_omitted) {
  EXPECT_EQ(beside(R"("t": {"$in": [@2019, @2021]})"), everywhere);
  EXPECT_EQ(beside(R"("$and": [{"$or": [{"m": {"$ne": 5}}, {"t": @2021}]}])"), everywhere);
  EXPECT_EQ(beside(R"("$nor": [{"t": @2019, "m": 5}])"), everywhere);
}

INSTANTIATE_TEST_SUITE_P(versions, bucket_filter,
                         testing::Values("6.0", "7.0", "8.0", "8.2", "9.0"));

}  // namespace
}  // namespace scattergate::routing_tests
