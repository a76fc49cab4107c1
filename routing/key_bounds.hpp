#pragma once

#include <cstdint>
#include <span>

#include "routing/interval.hpp"
#include "routing/value_bounds.hpp"

namespace scattergate::routing {

/// What a conjunction, or a union of them, bounds each field of a shard key to. The sets of a
/// union are united field by field, as mongos does it (mongo:
/// shard_key_pattern_query_util.cpp, collapseQuerySolution).
/// Thread-safety: as the scratch that holds the sets.
struct key_bounds {
  std::span<interval_set> fields;
  std::uint64_t named = 0;     ///< bit i: a predicate on field i, useful or not
  std::uint64_t positive = 0;  ///< bit i: bounded by more than a complement
  std::uint64_t negative = 0;  ///< bit i: bounded by a complement

  /// Unbounded sets for `count` fields; `fields` is empty where the scratch is exhausted.
  [[nodiscard]] static key_bounds unbounded(std::size_t count, scratch& memory) noexcept;

  /// The empty union: what nothing matches.
  [[nodiscard]] static key_bounds nothing(std::size_t count, scratch& memory) noexcept;

  /// Whether field i is bounded by complements and nothing else.
  [[nodiscard]] bool is_complement(std::size_t i) const noexcept {
    return ((negative & ~positive) >> i & 1U) != 0;
  }

  /// Adds one predicate on field `i` to the conjunction.
  void narrow(std::size_t i, const field_bounds& by, bool hashed, scratch& memory) noexcept;

  /// Adds all predicates of another conjunction. `hashed_field` is -1 where there is none.
  void intersect(const key_bounds& other, int hashed_field, scratch& memory) noexcept;

  void unite(const key_bounds& other, scratch& memory) noexcept;
};

}  // namespace scattergate::routing
