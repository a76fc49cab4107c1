#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "advise/measures.hpp"

namespace scattergate::advise {

/// The criteria by which keys are ranked; smaller is better (docs/advise.md, "How keys are
/// ranked").
struct merit {
  bool forbids_unique = false;
  bool has_few_values = false;       ///< fewer than shards, so some shards get no document
  std::optional<double> hottest;     ///< the share of the most frequent value; empty: unknown
  double per_command = 0;            ///< shard requests per command
  std::optional<double> per_minute;  ///< the share of the most frequent value within a minute;
                                     ///< empty: unknown
  std::size_t fields = 0;
  std::size_t shards = 3;

  /// Whether one value gets more than one shard's share (1 / `shards`) of all requests, or of a
  /// minute's requests on average, or whether there are fewer values than shards.
  [[nodiscard]] bool is_hot() const noexcept;
  /// Whether the most frequent value of a minute gets more than one shard's share of that
  /// minute's requests, on average.
  [[nodiscard]] bool is_hot_in_minutes() const noexcept;

  /// Whether the most frequent value gets a clearly larger share of the requests than the
  /// other key's. False if either share is unknown.
  [[nodiscard]] bool is_hotter(const merit& other) const noexcept;
  [[nodiscard]] bool is_hotter_in_minutes(const merit& other) const noexcept;
  /// Whether commands ask clearly more shards than with the other key.
  [[nodiscard]] bool asks_more(const merit& other) const;

  /// Compares by the first criterion in which the keys clearly differ: negative if this key is
  /// better, positive if it is worse, 0 if they differ in none. Not transitive, because small
  /// differences may add up to a clear one.
  [[nodiscard]] int compare(const merit& other) const;
  /// Whether this key is better by a criterion other than its number of fields.
  [[nodiscard]] bool beats(const merit& other) const;
};

/// The merit of a key with these measures. `fields`: the number of its fields.
[[nodiscard]] merit merit_of(const measures& of, bool forbids_unique, std::size_t fields,
                             std::size_t shards);

/// Ranks keys; returns their indexes, best first. The best one is found by elimination:
/// criterion by criterion, keys that are clearly worse than the best remaining one drop out.
/// `preferred` wins among equal keys.
[[nodiscard]] std::vector<std::size_t> best_first(std::span<const merit> keys,
                                                  std::optional<std::size_t> preferred);

}  // namespace scattergate::advise
