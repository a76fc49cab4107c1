#pragma once

#include <initializer_list>

#include <gtest/gtest.h>

#include "tests/routing/command_rows.hpp"

/// Tables of pipelines and the shards that mongos sends them to, on one collection.
namespace scattergate::routing_tests {

/// A row of a table.
struct pipeline_row {
  std::string_view pipeline;  ///< the stages as a JSON array
  std::string_view where;     ///< the expected judged::where()
};

/// judged::where() of what goes to the shard in the middle.
inline constexpr std::string_view one_shard = "single_shard 1";

/// Expects the results of the rows for aggregates on db.c. db.c is sharded by {p: 1}: p < 10
/// is on shard 0, 10 <= p < 20 on shard 1, the rest on shard 2.
inline void expect_by_p(std::initializer_list<pipeline_row> rows,
                        std::string_view version = "8.0") {
  const auto entries = catalog_of(R"({"p": 1})", R"([{"p": 10}, {"p": 20}])", version);
  for (const pipeline_row& each : rows) {
    const std::string command =
        R"({"aggregate": "c", "cursor": {}, "pipeline": )" + std::string{each.pipeline} + "}";
    EXPECT_EQ(judged(entries, command).where(), each.where) << version << each.pipeline;
  }
}

}  // namespace scattergate::routing_tests
