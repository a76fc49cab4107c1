#pragma once

#include <optional>

#include "sim/targeting/filter_tree.hpp"

namespace scattergate::sim {

/// Returns the filter in its shortest form: an `$or` of `$and`s, with negations only of single
/// predicates. std::nullopt if mongos keeps the original filter, for one of these reasons:
/// - The filter has too many different predicates (max_predicates).
/// - The short form isn't smaller, or has too many `$and`s.
/// (mongo 1c287af4e8f1: compiler/rewrites/matcher/expression_simplifier.cpp, and
/// boolean_simplification/).
[[nodiscard]] std::optional<filter_node> boolean_simplified(const filter_node& filter);

}  // namespace scattergate::sim
