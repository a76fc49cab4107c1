#pragma once

#include <initializer_list>

#include <gtest/gtest.h>

#include "tests/routing/command_rows.hpp"

/// Tables for tests: aggregation pipelines on one collection, and the shards that mongos asks
/// for each pipeline.
namespace scattergate::routing_tests {

/// A row of a table.
struct pipeline_row {
  std::string_view pipeline;  ///< the stages as a JSON array
  std::string_view where;     ///< the expected judged::where()
};

/// The judged::where() of an aggregate that goes only to the shard "1", with 10 <= p < 20.
inline constexpr std::string_view one_shard = "single_shard 1";

/// For each row, expects that an aggregate on db.c with the row's pipeline gets the verdict
/// `where`. db.c is sharded by {p: 1}: p < 10 is on the shard "0", 10 <= p < 20 on "1", the
/// rest on "2".
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
