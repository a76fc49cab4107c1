#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::report {

/// The shards that mongos would ask for a command, according to its explain reply (verbosity
/// queryPlanner; mongo: cluster_explain.cpp, sharded_agg_helpers.cpp).
struct explain_plan {
  enum class kind : std::uint8_t {
    shards,     ///< the shards in `shards`
    one_shard,  ///< one unnamed shard, whose reply mongos passed on
    no_shard,   ///< mongos answers by itself, or doesn't know the database
    refused,    ///< mongos replied with an error
    no_plan,    ///< the reply doesn't say where the command goes; `text` has the reason
  };
  kind is = kind::no_plan;

  /// The plan's first stage, such as SINGLE_SHARD, SHARD_MERGE, SHARD_WRITE or EOF; for a
  /// pipeline, where mongos merges the results: mongos, anyShard, primaryShard, ...
  std::string stage;

  std::vector<std::string> shards;  ///< sorted and unique
  bool is_two_phase = false;        ///< a write that first asks `shards` for the document, then
                                    ///< writes on one shard, which isn't in `shards` only for
                                    ///< that
  bool is_complete = true;          ///< false: the reply was cut, so shards may be missing

  std::int64_t code = 0;  ///< `refused`: MongoDB's error code; otherwise 0
  std::string text;  ///< `refused`: the error's text; `no_plan`: the reason; `one_shard`: the
                     ///< host, if known
};

/// Parses mongos's complete explain reply, of any version from 4.4 on. Invalid bytes give
/// no_plan.
[[nodiscard]] explain_plan read_explain(wire::document_view reply);

}  // namespace scattergate::report
