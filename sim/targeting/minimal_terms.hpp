#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Boolean algebra over up to 64 predicates.
namespace scattergate::sim {

/// A set of predicates or terms, by index.
using bits = std::uint64_t;

/// With this many different predicates a filter isn't simplified (mongo: query_knobs.idl).
inline constexpr std::size_t max_predicates = 64;

/// A conjunction of the predicates in `mask`; those not in `values` are negated.
struct term {
  bits mask = 0;
  bits values = 0;
  auto operator<=>(const term&) const = default;
};
using terms = std::vector<term>;

[[nodiscard]] inline std::size_t count(bits set) {
  return static_cast<std::size_t>(std::popcount(set));
}

[[nodiscard]] inline bool has(bits set, std::size_t number) {
  return ((set >> number) & 1U) != 0;
}

/// The smallest equivalent disjunction of terms: absorbed terms are dropped and, if some are
/// negated, terms that differ in one predicate are merged (mongo: bitset_algebra.cpp,
/// quine_mccluskey.cpp, petrick.cpp). REQUIRES: at most 64 terms.
[[nodiscard]] terms minimal(terms all);

}  // namespace scattergate::sim
