#pragma once

#include <cstdint>
#include <optional>

#include "routing/bounds/match_outline.hpp"

/// Predicts mongos's boolean simplification of filters. From 8.0 on, mongos simplifies a filter
/// before it computes bounds, which pushes negations down to comparisons, but uses the result
/// only if it is smaller (mongo: matcher/expression_simplifier.cpp, simplifyMatchExpression, at
/// 0ef9a57 for 8.0 and 1c287af for later versions; expression_bitset_tree_converter.cpp;
/// boolean_simplification/bitset_tree.h, calculateSize).
namespace scattergate::routing {

/// A member of a conjunction: a filter, or one field of a filter.
struct conjunct {
  wire::document_view filter;
  std::optional<wire::element> part;  ///< set if it is one field
  const conjunct* next = nullptr;
};

/// The form in which mongos plans a filter.
enum class boolean_form : std::uint8_t {
  original,    ///< as written, or uncertain
  simplified,  ///< with negations only at comparisons
  nothing,     ///< mongos detects that nothing can match
  unknown,     ///< mongos may detect that nothing can match
};

/// The form in which mongos plans a filter, and what it may leave out.
struct planned_form {
  boolean_form form = boolean_form::original;
  /// Whether mongos may drop predicates next to their own negation in an `$or`, as
  /// x&y | x&~y is x (mongo: boolean_simplification/quine_mccluskey.h).
  bool may_merge = false;
  /// Whether the original form is uncertain, because negations of constants may count in its
  /// size. 8.0 and 8.1 may not have replaced them (mongo: matcher/expression_tree.cpp,
  /// NotMatchExpression::getOptimizer; from 1c287af on notOptimizer does).
  bool may_be_larger = false;
  bool denies = false;  ///< a predicate stands within a negation
};

/// The form in which mongos plans the conjunction of all `conjuncts`. `simplified` only if that
/// is certain, because the original form has wider bounds. Cost: linear in the filter's nodes,
/// plus at most 64 terms of 64 predicates.
[[nodiscard]] planned_form form_of(const conjunct* conjuncts, const outline_rules& rules,
                                   bool simple_collation, scratch& memory) noexcept;

}  // namespace scattergate::routing
