#pragma once

#include <cstdint>
#include <optional>

#include "routing/bounds/match_outline.hpp"

/// From 8.0 on mongos simplifies a filter as a boolean expression before it looks for bounds,
/// which hands negations down to the comparisons; but it keeps what comes out only where that
/// is smaller (mongo: matcher/expression_simplifier.cpp, simplifyMatchExpression, at 0ef9a57
/// for 8.0 and 1c287af for later versions; expression_bitset_tree_converter.cpp;
/// boolean_simplification/bitset_tree.h, calculateSize).
namespace scattergate::routing {

/// A filter, or one field of a filter, that holds beside others. Lies in the scratch.
struct conjunct {
  wire::document_view filter;
  std::optional<wire::element> part;  ///< where it is one field
  const conjunct* next = nullptr;
};

/// What mongos plans with.
enum class boolean_form : std::uint8_t {
  original,    ///< what was written, or nobody can tell
  simplified,  ///< negations stand at the comparisons alone
  nothing,     ///< it sees that nothing matches
  unknown,     ///< it may see that nothing matches
};

/// The form of what all of `conjuncts` say together. Not taken for simplified where that isn't
/// certain: what was written has the wider bounds. Costs what the filter's nodes cost, and at
/// most 64 terms of 64 predicates.
[[nodiscard]] boolean_form form_of(const conjunct* conjuncts, const outline_rules& rules,
                                   bool simple_collation, scratch& memory) noexcept;

}  // namespace scattergate::routing
