#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/routing/judging_support.hpp"

/// Tables for tests: commands, and the shards that mongos asks for each command.
namespace scattergate::routing_tests {

/// A row of a table.
struct command_row {
  std::string_view command;
  std::string_view where;         ///< the expected judged::where()
  std::string_view refused = "";  ///< the label of the expected verdict::refused, mongos's
                                  ///< error; empty: none
};

/// The judged::where() of a command that goes to all shards of a collection on three shards.
inline constexpr std::string_view all_shards = "scatter_gather 0,1,2";

/// For each row, expects that its command gets the verdict `where` and the error `refused`.
/// `entries`: the catalog.
inline void expect_commands(const std::shared_ptr<const routing::catalog>& entries,
                            std::span<const command_row> rows) {
  for (const command_row& each : rows) {
    const judged found{entries, each.command};
    EXPECT_EQ(found.where(), each.where) << each.command;
    EXPECT_EQ(label(found.verdict().refused), each.refused) << each.command;
  }
}

}  // namespace scattergate::routing_tests
