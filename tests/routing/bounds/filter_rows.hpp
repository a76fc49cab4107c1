#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// Tables for tests: filters, and the shards that mongos asks for a find with each filter.
namespace scattergate::routing_tests {

/// A row of a table.
struct filter_row {
  std::string_view filter;
  std::string_view where;  ///< the expected judged::where()
};

/// The bounds between four chunks by the field a. The shard "0" has the values below 0, "1" has
/// [0, 10), "2" has [10, 20), and "3" has the values from 20 on.
inline constexpr std::string_view splits_of_a = R"([{"a": 0}, {"a": 10}, {"a": 20}])";
inline constexpr std::string_view everywhere = "scatter_gather 0,1,2,3";

/// For each row, expects that a find on db.c with the row's filter gets the verdict `where`.
/// `entries`: the catalog. `options`: further fields of each find, starting with a comma.
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
