#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routing/verdict.hpp"
#include "wire/bson.hpp"

namespace scattergate::advise {

/// Numbers of commands or statements by routing class. Single-shard includes unsharded
/// collections and commands that aren't routed. Scatter-gather includes commands of unknown
/// routing. The numbers are fractional, because a sampled command may represent a fractional
/// number of commands.
struct class_counts {
  double single_shard = 0;
  double multi_shard = 0;
  double scatter_gather = 0;

  /// Adds `times` to the number in the class `routing`.
  void add(routing::routing_class routing, double times) noexcept;
  /// The sum over all classes.
  [[nodiscard]] double all() const noexcept {
    return single_shard + multi_shard + scatter_gather;
  }
};

/// Numbers of statements, as analyzeShardKey reports them in readDistribution or
/// writeDistribution. Excludes inserts. A statement's class depends on its filter alone, not on
/// chunks:
/// - single-shard: the filter pins the whole key to one value
/// - scatter-gather: the filter doesn't narrow the key's range
/// - multi-shard: any other filter
struct distribution {
  /// Statements by command. For reads: find, aggregate, count, distinct. For writes: update,
  /// delete, findAndModify.
  std::array<double, 4> by_command{};
  class_counts classes;  ///< statements by routing class
  /// For each shard, the number of statements that ask the shard; empty: unknown.
  std::vector<double> by_range;
  double key_updates = 0;  ///< updates that may change a document's key
  /// Single-document writes whose filter doesn't pin the whole key.
  double single_without_key = 0;
  /// Multi-document writes (multi: true) whose filter doesn't pin the whole key.
  double multi_without_key = 0;

  /// Adds the counts of another part of the traffic.
  void add(const distribution& other);
};

/// A frequent key value.
struct common_value {
  /// The types of the values of the key's fields; the values aren't stored.
  std::vector<wire::bson_type> types;
  double frequency = 0;  ///< number of requests
};

/// Statistics of the values of a whole key, from commands with values or from sketches. A
/// request is one statement or one new document. Numbers are weighted: a sampled request
/// counts for all requests that it represents.
struct key_values {
  double requests = 0;  ///< all requests, with a value of the key or without
  /// The number of values of the whole key in these requests, summed; a request with a `$in`
  /// list has several.
  double pinned = 0;
  double distinct = 0;  ///< distinct values
  /// A lower bound of the key's true number of distinct values; 0: unknown. It is `distinct`
  /// or, if larger, the number of distinct values of one of the key's fields. That may be
  /// larger, because requests without a value of the whole key count for the field, too.
  double least_distinct = 0;
  double documents = 0;              ///< new documents that have a value of the whole key
  double distinct_documents = 0;     ///< distinct values in new documents
  std::vector<common_value> common;  ///< most frequent first
  /// The common values in new documents, most frequent first.
  std::vector<common_value> common_documents;
  /// The share of a minute's requests that have the minute's most frequent value, 0 to 1; the
  /// mean over all minutes. Empty: no values, or too few requests with a time. Minutes with too
  /// few requests are combined. If the key has a growing field (traffic::growing_place()), new
  /// documents with equal values in the fields before it count as one value.
  std::optional<double> per_minute;

  /// The share of all requests that have the most frequent value, 0 to 1; std::nullopt if no
  /// value was seen.
  [[nodiscard]] std::optional<double> hottest() const noexcept;
};

/// One key's effect on the traffic or on a part of the traffic.
struct measures {
  double commands = 0;  ///< all commands
  /// The number of shards that a command asks, summed over all commands.
  double shard_requests = 0;
  double estimated = 0;        ///< commands whose number of shards is an estimate
  double refused = 0;          ///< commands that mongos would refuse
  class_counts reads, writes;  ///< commands; inserts count as writes
  /// The distributions of the statements that read, and of the statements that write.
  distribution read_distribution, write_distribution;
  key_values values;  ///< statistics of the key's values

  /// The mean number of shards that a command asks; 0 without commands.
  [[nodiscard]] double per_command() const noexcept {
    return commands == 0 ? 0 : shard_requests / commands;
  }
};

/// The quality of a shard key: its values in the criteria by which keys are ranked. In each
/// criterion, smaller is better (docs/advise.md, "How keys are ranked").
struct key_score {
  bool forbids_unique = false;    ///< the key would forbid a unique index
  bool has_few_values = false;    ///< fewer values than shards, so some shards get no documents
  std::optional<double> hottest;  ///< share of requests with the most frequent value, 0 to 1;
                                  ///< empty: unknown
  double per_command = 0;         ///< shard requests per command
  std::optional<double> per_minute;  ///< share of a minute's requests with the minute's most
                                     ///< frequent value, 0 to 1; empty: unknown
  std::size_t fields = 0;            ///< number of the key's fields
  std::size_t shards = 3;            ///< the assumed number of shards

  /// Whether one shard is likely to get more than its share (1 / `shards`) of the requests.
  /// True if one value gets more than this share of all requests or, on average, of a minute's
  /// requests. Also true if there are fewer values than shards.
  [[nodiscard]] bool is_hot() const noexcept;
  /// Whether the most frequent value of a minute gets more than one shard's share of that
  /// minute's requests, on average.
  [[nodiscard]] bool is_hot_in_minutes() const noexcept;

  /// Whether the most frequent value of this key gets a clearly larger share of all requests
  /// than the most frequent value of the key of `other`. False if either share is unknown.
  [[nodiscard]] bool is_hotter(const key_score& other) const noexcept;
  /// Whether the most frequent value of a minute gets a clearly larger share of the minute's
  /// requests with this key than with the key of `other`. False if either share is unknown.
  [[nodiscard]] bool is_hotter_in_minutes(const key_score& other) const noexcept;
  /// Whether commands ask clearly more shards with this key than with the key of `other`.
  [[nodiscard]] bool asks_more(const key_score& other) const;

  /// Compares two keys by the first criterion in which they clearly differ. Negative if this
  /// key is better, positive if it is worse, 0 if the keys differ in no criterion. If
  /// `per_minute` is known for one key only, it counts as 1 for the other key. Not transitive,
  /// because small differences may add up to a clear one.
  [[nodiscard]] int compare(const key_score& other) const;
  /// Whether this key is clearly better than the key of `other`: as compare(), but without the
  /// number of fields.
  [[nodiscard]] bool beats(const key_score& other) const;
};

/// The score of a key. `of`: the key's effect on the traffic. `forbids_unique`: the key would
/// forbid a unique index. `fields`: the number of the key's fields. `shards`: the assumed
/// number of shards.
[[nodiscard]] key_score key_score_of(const measures& of, bool forbids_unique,
                                     std::size_t fields, std::size_t shards);

/// Ranks keys; returns their indexes in `keys`, best first. Finds the best key by elimination:
/// takes the criteria in order, and drops the keys that are clearly worse in the criterion than
/// the best one left. Then finds the best of all other keys in the same way, until all are
/// ranked. `preferred`: the index of the key that wins if several keys are left in the end;
/// empty: none.
[[nodiscard]] std::vector<std::size_t> best_first(std::span<const key_score> keys,
                                                  std::optional<std::size_t> preferred);

}  // namespace scattergate::advise
