#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// Tables of commands and the shards that mongos sends them to.
namespace scattergate::routing_tests {

/// A row of a table.
struct command_row {
  std::string_view command;
  std::string_view where;         ///< the expected judged::where()
  std::string_view refused = "";  ///< the expected error's name; empty: none
};

/// judged::where() of what goes to all of three shards.
inline constexpr std::string_view all_shards = "scatter_gather 0,1,2";

/// Expects the results of the rows.
inline void expect_commands(const std::shared_ptr<const routing::catalog>& entries,
                            std::span<const command_row> rows) {
  for (const command_row& each : rows) {
    const judged found{entries, each.command};
    EXPECT_EQ(found.where(), each.where) << each.command;
    EXPECT_EQ(label(found.verdict().refused), each.refused) << each.command;
  }
}

}  // namespace scattergate::routing_tests
