#pragma once

#include <cstdint>
#include <optional>

#include "routing/bounds/match_outline.hpp"

/// From 8.0 on mongos simplifies a filter as a boolean expression before it computes bounds,
/// which pushes negations down to the comparisons. It uses the result only if that is smaller
/// (mongo: matcher/expression_simplifier.cpp, simplifyMatchExpression, at 0ef9a57 for 8.0 and
/// 1c287af for later versions; expression_bitset_tree_converter.cpp;
/// boolean_simplification/bitset_tree.h, calculateSize).
namespace scattergate::routing {

/// One member of a conjunction: a filter, or one field of a filter. In the scratch memory.
struct conjunct {
  wire::document_view filter;
  std::optional<wire::element> part;  ///< set if it is one field
  const conjunct* next = nullptr;
};

/// The form of a filter that mongos plans.
enum class boolean_form : std::uint8_t {
  original,    ///< as written, or uncertain
  simplified,  ///< with negations only at comparisons
  nothing,     ///< mongos detects that nothing matches
  unknown,     ///< mongos may detect that nothing matches
};

/// The form of the conjunction of all `conjuncts`. `simplified` only if that is certain: the
/// form as written has the wider bounds. Costs as much as the filter's nodes, and at most 64
/// terms of 64 predicates.
[[nodiscard]] boolean_form form_of(const conjunct* conjuncts, const outline_rules& rules,
                                   bool simple_collation, scratch& memory) noexcept;

}  // namespace scattergate::routing
