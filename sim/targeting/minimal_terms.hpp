#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Boolean algebra over at most 64 predicates, which are numbered from 0.
namespace scattergate::sim {

/// A set of predicates or terms: bit i stands for number i.
using bits = std::uint64_t;

/// mongos simplifies only filters with fewer than this number of different predicates (mongo:
/// query_knobs.idl).
inline constexpr std::size_t max_predicates = 64;

/// A conjunction (AND) of predicates and negated predicates.
struct term {
  bits mask = 0;    ///< the predicates of the conjunction
  bits values = 0;  ///< the predicates of the conjunction that aren't negated
  auto operator<=>(const term&) const = default;
};
using terms = std::vector<term>;

/// The number of elements of the set.
[[nodiscard]] inline std::size_t count(bits set) {
  return static_cast<std::size_t>(std::popcount(set));
}

/// Whether the set contains the element `number`. REQUIRES: number < 64.
[[nodiscard]] inline bool has(bits set, std::size_t number) {
  return ((set >> number) & 1U) != 0;
}

/// Returns a disjunction that is equivalent to the disjunction (OR) of `all`, but shorter if
/// possible, as mongos does. Drops terms that another term absorbs. If a predicate is negated
/// in some term, also merges terms that differ in one predicate (mongo: bitset_algebra.cpp,
/// quine_mccluskey.cpp, petrick.cpp). REQUIRES: at most 64 terms.
[[nodiscard]] terms minimal(terms all);

}  // namespace scattergate::sim
