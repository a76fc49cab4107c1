#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "advise/measures.hpp"

namespace scattergate::advise {

/// A key's values in the criteria by which keys are ranked. Smaller is better (docs/advise.md,
/// "How keys are ranked").
struct merit {
  bool forbids_unique = false;    ///< a unique index forbids the key
  bool has_few_values = false;    ///< fewer values than shards, so some shards get no documents
  std::optional<double> hottest;  ///< see key_values::hottest()
  double per_command = 0;         ///< shard requests per command
  std::optional<double> per_minute;  ///< see key_values::per_minute
  std::size_t fields = 0;            ///< number of the key's fields
  std::size_t shards = 3;            ///< the assumed number of shards

  /// Whether one shard is likely to get more than its share (1 / `shards`) of the requests: one
  /// value gets more than this share of all requests or, on average, of a minute's requests, or
  /// there are fewer values than shards.
  [[nodiscard]] bool is_hot() const noexcept;
  /// Whether the most frequent value of a minute gets more than one shard's share of that
  /// minute's requests, on average.
  [[nodiscard]] bool is_hot_in_minutes() const noexcept;

  /// Whether this key's most frequent value gets a clearly larger share of all requests than
  /// the other key's. False if either share is unknown.
  [[nodiscard]] bool is_hotter(const merit& other) const noexcept;
  /// Same as is_hotter(), but for the shares of a minute's requests.
  [[nodiscard]] bool is_hotter_in_minutes(const merit& other) const noexcept;
  /// Whether commands ask clearly more shards with this key than with the other key.
  [[nodiscard]] bool asks_more(const merit& other) const;

  /// Compares by the first criterion in which the keys clearly differ. Negative if this key is
  /// better, positive if it is worse, 0 if they differ in none. Not transitive, because small
  /// differences may add up to a clear one.
  [[nodiscard]] int compare(const merit& other) const;
  /// Whether this key is better than the other one when compare() ignores the number of fields.
  [[nodiscard]] bool beats(const merit& other) const;
};

/// The merit of a key with these measures. `fields`: the number of the key's fields.
[[nodiscard]] merit merit_of(const measures& of, bool forbids_unique, std::size_t fields,
                             std::size_t shards);

/// Ranks keys; returns their indexes, best first. Finds the best one by elimination: criterion
/// by criterion, keys that are clearly worse than the best remaining one drop out. Then ranks
/// the other keys in the same way. `preferred`: the index of the key that wins among equal
/// ones; empty: none.
[[nodiscard]] std::vector<std::size_t> best_first(std::span<const merit> keys,
                                                  std::optional<std::size_t> preferred);

}  // namespace scattergate::advise
