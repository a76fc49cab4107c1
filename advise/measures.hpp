#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routing/verdict.hpp"
#include "wire/bson.hpp"

namespace scattergate::advise {

/// How many went where; fractions where commands stand for several.
struct class_counts {
  double single_shard = 0;
  double multi_shard = 0;
  double scatter_gather = 0;

  void add(routing::routing_class routing, double times) noexcept;
  [[nodiscard]] double all() const noexcept {
    return single_shard + multi_shard + scatter_gather;
  }
};

/// What analyzeShardKey calls readDistribution and writeDistribution: of the commands that it
/// samples, statement by statement. Inserts aren't among them.
struct distribution {
  std::array<double, 4> by_command{};  ///< find, aggregate, count, distinct; or update, delete,
                                       ///< findAndModify
  class_counts classes;
  std::vector<double> by_range;   ///< how many asked each of the shards; empty: not known
  double key_updates = 0;         ///< of writes: may change the key's value
  double single_without_key = 0;  ///< of one document, not on a single shard
  double multi_without_key = 0;   ///< of several, likewise
};

/// A value that many requests, or documents, have.
struct common_value {
  std::vector<wire::bson_type> types;  ///< of the key's fields; the values stay where they are
  double frequency = 0;
};

/// What the traffic shows of the key's values; of whole commands alone.
struct key_values {
  double requests = 0;  ///< statements, with or without a value
  double pinned = 0;    ///< those that pin the whole key
  double distinct = 0;
  double documents = 0;  ///< new ones
  double distinct_documents = 0;
  std::vector<common_value> common;  ///< of requests, the commonest first
  std::vector<common_value> common_documents;
  std::optional<double> per_minute;  ///< what the hottest value of a minute has, 0 to 1

  /// The hottest value's share of all requests, 0 to 1; nothing where no value was seen.
  [[nodiscard]] std::optional<double> hottest() const noexcept;
};

/// What one key would make of some traffic.
struct measures {
  double commands = 0;
  double shard_requests = 0;
  double estimated = 0;        ///< of the commands: how many shards they ask is a guess
  double refused = 0;          ///< of the commands: mongos would refuse them
  class_counts reads, writes;  ///< commands, inserts among the writes
  distribution read_distribution, write_distribution;
  key_values values;

  [[nodiscard]] double per_command() const noexcept {
    return commands == 0 ? 0 : shard_requests / commands;
  }
};

}  // namespace scattergate::advise
