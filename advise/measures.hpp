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

/// Numbers of commands by routing class. Commands on unsharded collections count as
/// single-shard; commands of unknown routing as scatter-gather. Not integers, because a sampled
/// command represents several, not necessarily a whole number.
struct class_counts {
  double single_shard = 0;
  double multi_shard = 0;
  double scatter_gather = 0;

  void add(routing::routing_class routing, double times) noexcept;
  [[nodiscard]] double all() const noexcept {
    return single_shard + multi_shard + scatter_gather;
  }
};

/// Numbers of statements, as analyzeShardKey reports them in readDistribution or
/// writeDistribution. Excludes inserts. A statement's class depends on its filter alone, not on
/// chunks: single-shard if the filter pins the whole key to one value, scatter-gather if it
/// doesn't narrow the key's range, otherwise multi-shard.
struct distribution {
  /// Statements by command. For reads: find, aggregate, count, distinct. For writes: update,
  /// delete, findAndModify.
  std::array<double, 4> by_command{};
  class_counts classes;
  std::vector<double> by_range;   ///< for each shard: statements that ask it; empty: unknown
  double key_updates = 0;         ///< updates that may change a document's key
  double single_without_key = 0;  ///< writes of one document that don't pin the whole key
  double multi_without_key = 0;   ///< writes of all matching documents that don't pin the
                                  ///< whole key

  void add(const distribution& other);
};

/// A frequent key value.
struct common_value {
  std::vector<wire::bson_type> types;  ///< of the key's fields; the value itself isn't stored
  double frequency = 0;                ///< number of requests
};

/// Statistics of the values of a whole key, from commands with values or from sketches. A
/// request is one statement or one new document. Numbers are weighted.
struct key_values {
  double requests = 0;        ///< all requests, whether or not they have a value of the key
  double pinned = 0;          ///< values in these requests; a `$in` list has several
  double distinct = 0;        ///< distinct values
  double least_distinct = 0;  ///< lower bound of the number of distinct values: that of the
                              ///< key, or of one of its fields if that is larger; 0: unknown
  double documents = 0;       ///< new documents that have a value
  double distinct_documents = 0;               ///< distinct values in new documents
  std::vector<common_value> common;            ///< most frequent first
  std::vector<common_value> common_documents;  ///< in new documents, most frequent first
  /// The share of a minute's requests that have the minute's most frequent value, 0 to 1: the
  /// mean over all minutes. Minutes with too few requests are combined. Empty: too few requests
  /// in total, or no values.
  std::optional<double> per_minute;

  /// The share of all requests that have the most frequent value, 0 to 1; std::nullopt if no
  /// value was seen.
  [[nodiscard]] std::optional<double> hottest() const noexcept;
};

/// One key's effect on the whole traffic or a part of it.
struct measures {
  double commands = 0;
  double shard_requests = 0;   ///< sum over the commands of the shards that each asks
  double estimated = 0;        ///< commands whose number of shards is an estimate
  double refused = 0;          ///< commands that mongos would refuse
  class_counts reads, writes;  ///< commands; inserts count as writes
  distribution read_distribution, write_distribution;
  key_values values;

  /// The mean number of shards that a command asks; 0 without commands.
  [[nodiscard]] double per_command() const noexcept {
    return commands == 0 ? 0 : shard_requests / commands;
  }
};

}  // namespace scattergate::advise
