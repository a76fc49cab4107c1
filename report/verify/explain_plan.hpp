#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/bson.hpp"

namespace scattergate::report {

/// What mongos's reply to an explain says of the shards that it would ask (verbosity
/// queryPlanner; mongo: cluster_explain.cpp, sharded_agg_helpers.cpp).
struct explain_plan {
  enum class kind : std::uint8_t {
    shards,     ///< these
    one_shard,  ///< one that isn't named: mongos passed its whole answer on
    no_shard,   ///< mongos answers by itself, or knows no such database
    refused,    ///< mongos replied an error
    no_plan,    ///< nothing that says where the command goes; `text` tells why
  };
  kind is = kind::no_plan;

  /// mongos's word: SINGLE_SHARD, SHARD_MERGE, SHARD_MERGE_SORT, SHARD_WRITE, EOF; for a
  /// pipeline where it is merged: mongos, anyShard, primaryShard, specificShard, ...
  std::string stage;

  std::vector<std::string> shards;  ///< sorted, each once
  bool is_two_phase = false;        ///< a write that asks these first, and then writes on one
  bool is_complete = true;          ///< false: the reply was cut short, and there may be more

  std::int64_t code = 0;  ///< of the error
  std::string text;       ///< of the error; of one_shard: the host that answered, if it says so
};

/// Reads a whole reply of any version from 4.4 on. Hostile bytes give no_plan.
[[nodiscard]] explain_plan read_explain(wire::document_view reply);

}  // namespace scattergate::report
