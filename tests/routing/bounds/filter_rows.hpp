#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// Tables of filters and the shards that mongos sends a find with them to.
namespace scattergate::routing_tests {

/// A row of a table.
struct filter_row {
  std::string_view filter;
  std::string_view where;  ///< the expected judged::where()
};

/// The chunks of a field a: 0 below 0, 1 [0, 10), 2 [10, 20), 3 from 20.
inline constexpr std::string_view splits_of_a = R"([{"a": 0}, {"a": 10}, {"a": 20}])";
inline constexpr std::string_view everywhere = "scatter_gather 0,1,2,3";

/// Expects the results of the rows for finds on db.c. `options`: further fields of each find,
/// starting with a comma.
inline void expect_finds(const std::shared_ptr<const routing::catalog>& entries,
                         std::initializer_list<filter_row> rows,
                         std::string_view options = "") {
  for (const filter_row& each : rows) {
    const std::string command =
        R"({"find": "c", "filter": )" + std::string{each.filter} + std::string{options} + "}";
    EXPECT_EQ(judged(entries, command).where(), each.where) << each.filter << options;
  }
}

}  // namespace scattergate::routing_tests
