#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Boolean algebra over up to 64 predicates.
namespace scattergate::sim {

/// A set of predicates, or of terms, by number.
using bits = std::uint64_t;

/// From as many different predicates on a filter is left alone (mongo: query_knobs.idl).
inline constexpr std::size_t max_predicates = 64;

/// Predicates that hold together: those of `mask`, the ones that aren't in `values` negated.
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

/// The fewest terms that say the same, joined by "or": none is part of another one, and where
/// some are negated, those that differ in one predicate are one (mongo: bitset_algebra.cpp,
/// quine_mccluskey.cpp, petrick.cpp). REQUIRES: at most 64 terms.
[[nodiscard]] terms minimal(terms all);

}  // namespace scattergate::sim
