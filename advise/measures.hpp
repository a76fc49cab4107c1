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

/// Numbers of commands by routing class. Not integers, because commands are weighted.
struct class_counts {
  double single_shard = 0;
  double multi_shard = 0;
  double scatter_gather = 0;

  void add(routing::routing_class routing, double times) noexcept;
  [[nodiscard]] double all() const noexcept {
    return single_shard + multi_shard + scatter_gather;
  }
};

/// The counterpart of analyzeShardKey's readDistribution or writeDistribution: counts
/// statements, without inserts. The classes depend on the filter alone, not on chunks:
/// single-shard if it pins the whole key to one value, scatter-gather if it doesn't constrain
/// the key, otherwise multi-shard.
struct distribution {
  /// For reads: find, aggregate, count, distinct; for writes: update, delete, findAndModify.
  std::array<double, 4> by_command{};
  class_counts classes;
  std::vector<double> by_range;   ///< how many statements asked each shard; empty: unknown
  double key_updates = 0;         ///< writes that may change the key's value
  double single_without_key = 0;  ///< writes of one document that don't pin the whole key
  double multi_without_key = 0;   ///< writes of several documents that don't pin the whole key

  void add(const distribution& other);
};

/// A frequent key value.
struct common_value {
  std::vector<wire::bson_type> types;  ///< of the key's fields; the value itself isn't stored
  double frequency = 0;
};

/// Statistics of a key's values, from complete commands only.
struct key_values {
  double requests = 0;  ///< statements, with or without a value
  double pinned = 0;    ///< statements that pin the whole key
  double distinct = 0;
  double least_distinct = 0;  ///< lower bound for the number of distinct keys, derived from the
                              ///< key and from each of its fields; 0: no value was seen
  double documents = 0;       ///< new documents
  double distinct_documents = 0;
  std::vector<common_value> common;  ///< in requests, most frequent first
  std::vector<common_value> common_documents;
  std::optional<double> per_minute;  ///< the share of the most frequent value within a minute,
                                     ///< or within as many minutes as have enough requests, 0
                                     ///< to 1; empty: too few requests, or no value was seen

  /// The share of the most frequent value among all requests, 0 to 1; std::nullopt if no value
  /// was seen.
  [[nodiscard]] std::optional<double> hottest() const noexcept;
};

/// One key's effect on a part of the traffic.
struct measures {
  double commands = 0;
  double shard_requests = 0;
  double estimated = 0;        ///< commands whose number of shards is an estimate
  double refused = 0;          ///< commands that mongos would refuse
  class_counts reads, writes;  ///< commands; inserts count as writes
  distribution read_distribution, write_distribution;
  key_values values;

  [[nodiscard]] double per_command() const noexcept {
    return commands == 0 ? 0 : shard_requests / commands;
  }
};

}  // namespace scattergate::advise
