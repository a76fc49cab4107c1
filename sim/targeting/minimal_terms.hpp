#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Boolean algebra over at most 64 predicates.
namespace scattergate::sim {

/// A set of predicates or terms: bit i stands for the one with number i.
using bits = std::uint64_t;

/// The number of different predicates from which on mongos doesn't simplify a filter (mongo:
/// query_knobs.idl).
inline constexpr std::size_t max_predicates = 64;

/// A conjunction of predicates or their negations. Bit i of `mask`: predicate i is part of it.
/// Bit i of `values`: it isn't negated.
struct term {
  bits mask = 0;
  bits values = 0;
  auto operator<=>(const term&) const = default;
};
using terms = std::vector<term>;

/// The number of elements.
[[nodiscard]] inline std::size_t count(bits set) {
  return static_cast<std::size_t>(std::popcount(set));
}

/// Whether the set contains an element.
[[nodiscard]] inline bool has(bits set, std::size_t number) {
  return ((set >> number) & 1U) != 0;
}

/// The smallest disjunction that is equivalent to the disjunction of `all`. Drops terms that
/// another term absorbs. If a predicate is negated in some term, also merges terms that differ
/// in one predicate (mongo: bitset_algebra.cpp, quine_mccluskey.cpp, petrick.cpp). REQUIRES: at
/// most 64 terms.
[[nodiscard]] terms minimal(terms all);

}  // namespace scattergate::sim
