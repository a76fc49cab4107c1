#pragma once

#include <compare>
#include <cstddef>
#include <optional>

#include "advise/measures.hpp"

namespace scattergate::advise {

/// How good a key is, for ranking; less is better. See docs/advise.md, "The order of merit".
struct merit {
  bool forbids_unique = false;
  bool is_hot = false;     ///< one value has more than one shard's share of all requests
  double per_command = 0;  ///< shard requests per command
  double per_minute = 0;   ///< the share of the most frequent value within a minute; 1 if
                           ///< unknown
  std::size_t fields = 0;

  /// Compares two keys; differences below a thousandth count as equal.
  [[nodiscard]] std::strong_ordering compare(const merit& other) const noexcept;
  [[nodiscard]] bool beats(const merit& other) const noexcept { return compare(other) < 0; }
};

[[nodiscard]] merit merit_of(const measures& of, bool forbids_unique, std::size_t fields,
                             std::size_t shards) noexcept;

}  // namespace scattergate::advise
