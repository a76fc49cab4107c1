#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "advise/measures.hpp"

namespace scattergate::advise {

/// The quality of a shard key: its values in the criteria by which keys are ranked. In each
/// criterion, smaller is better (docs/advise.md, "How keys are ranked").
struct merit {
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
  [[nodiscard]] bool is_hotter(const merit& other) const noexcept;
  /// Whether the most frequent value of a minute gets a clearly larger share of the minute's
  /// requests with this key than with the key of `other`. False if either share is unknown.
  [[nodiscard]] bool is_hotter_in_minutes(const merit& other) const noexcept;
  /// Whether commands ask clearly more shards with this key than with the key of `other`.
  [[nodiscard]] bool asks_more(const merit& other) const;

  /// Compares two keys by the first criterion in which they clearly differ. Negative if this
  /// key is better, positive if it is worse, 0 if the keys differ in no criterion. If
  /// `per_minute` is known for one key only, it counts as 1 for the other key. Not transitive,
  /// because small differences may add up to a clear one.
  [[nodiscard]] int compare(const merit& other) const;
  /// Whether this key is clearly better than the key of `other`: as compare(), but without the
  /// number of fields.
  [[nodiscard]] bool beats(const merit& other) const;
};

/// The merit of a key. `of`: the key's effect on the traffic. `forbids_unique`: the key would
/// forbid a unique index. `fields`: the number of the key's fields. `shards`: the assumed
/// number of shards.
[[nodiscard]] merit merit_of(const measures& of, bool forbids_unique, std::size_t fields,
                             std::size_t shards);

/// Ranks keys; returns their indexes in `keys`, best first. Finds the best key by elimination:
/// takes the criteria in order, and drops the keys that are clearly worse in the criterion than
/// the best one left. Then finds the best of all other keys in the same way, until all are
/// ranked. `preferred`: the index of the key that wins if several keys are left in the end;
/// empty: none.
[[nodiscard]] std::vector<std::size_t> best_first(std::span<const merit> keys,
                                                  std::optional<std::size_t> preferred);

}  // namespace scattergate::advise
