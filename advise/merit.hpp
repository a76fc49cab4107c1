#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "advise/measures.hpp"

namespace scattergate::advise {

/// How good a key is, for ranking; less is better. See docs/advise.md, "The order of merit".
struct merit {
  bool forbids_unique = false;
  std::optional<double> hottest;     ///< the share of the most frequent value; empty: unknown
  double per_command = 0;            ///< shard requests per command
  std::optional<double> per_minute;  ///< the share of the most frequent value within a minute;
                                     ///< empty: unknown
  std::size_t fields = 0;
  std::size_t shards = 3;
  std::vector<slice_cost> slices;  ///< what per_command is made of; empty: times are unknown

  /// Whether one value has more than one shard's share of the requests: of all, or of those of
  /// a minute on average.
  [[nodiscard]] bool is_hot() const noexcept;
  [[nodiscard]] bool is_hot_in_minutes() const noexcept;

  /// Below 0 if this key is better by the first criterion in which the keys clearly differ,
  /// above 0 if it is worse, 0 if they differ in none. Not transitive: many small differences
  /// may add up to a clear one.
  [[nodiscard]] int compare(const merit& other) const;
  /// Whether it is better for another reason than having fewer fields.
  [[nodiscard]] bool beats(const merit& other) const;
};

[[nodiscard]] merit merit_of(const measures& of, bool forbids_unique, std::size_t fields,
                             std::size_t shards);

/// The places of the keys, best first: criterion by criterion, a key drops out if it is clearly
/// worse than the best that remains. `preferred` comes first among keys that don't differ.
[[nodiscard]] std::vector<std::size_t> best_first(std::span<const merit> keys,
                                                  std::optional<std::size_t> preferred);

}  // namespace scattergate::advise
