#pragma once

#include <cstdint>
#include <optional>

#include "routing/bounds/match_draft.hpp"

/// Predicts mongos's boolean simplification of filters. From 8.0 on, mongos simplifies a filter
/// before it computes bounds, which moves negations down to the comparisons. It uses the
/// simplified filter only if that is smaller than the original (mongo:
/// matcher/expression_simplifier.cpp, simplifyMatchExpression, at 0ef9a57 for 8.0 and 1c287af
/// for later versions; expression_bitset_tree_converter.cpp;
/// boolean_simplification/bitset_tree.h, calculateSize).
namespace scattergate::routing {

/// A member of a conjunction: a filter, or one field of a filter. Members are a linked list.
struct conjunct {
  wire::document_view filter;         ///< the filter; used only if `part` is std::nullopt
  std::optional<wire::element> part;  ///< the field; std::nullopt: the member is `filter`
  const conjunct* next = nullptr;     ///< the next member; null: the last
};

/// The form in which mongos plans a filter, that is, computes bounds for it.
enum class boolean_form : std::uint8_t {
  original,    ///< the original filter; also if the form isn't certain
  simplified,  ///< the simplified filter, with negations only of single comparisons
  nothing,     ///< mongos detects that no document can match
  unknown,     ///< mongos may detect that no document can match
};

/// The form in which mongos plans a filter, and how certain it is.
struct planned_form {
  boolean_form form = boolean_form::original;  ///< the form
  /// Whether mongos may remove a predicate, because two branches of an `$or` differ only in
  /// the negation of this predicate: x&y | x&~y is x (mongo:
  /// boolean_simplification/quine_mccluskey.h).
  bool may_merge = false;
  /// Whether mongos may simplify the filter although `form` is the original: mongos 8.0 and 8.1
  /// may replace an $elemMatch that no document matches by a constant, or `has_double_negation`
  /// is true and `is_certain` is false.
  bool may_be_simplified = false;
  /// False if it isn't known whether some predicates are equal or constant, and mongos would
  /// simplify the filter if they are. `form` is then `original`.
  bool is_certain = true;
  /// Whether an equality, a regex, or a list of these ($in or $or) is within the negation of a
  /// negation.
  bool has_double_negation = false;
};

/// The tree from which mongos plans the conjunction of all `conjuncts`: optimised, simplified,
/// but not sorted. `may_not_simplify`: see filter_rules. Null if it isn't certain what
/// mongos plans, or if the scratch memory is exhausted. REQUIRES: the version is 8.0 or later.
[[nodiscard]] const match_draft* plan_of(const conjunct* conjuncts, const outline_rules& rules,
                                         bool simple_collation, bool may_not_simplify,
                                         scratch& memory) noexcept;

/// The form in which mongos plans the conjunction of all `conjuncts`. `simplified` only if
/// that is certain, because the original form has wider bounds. `simple_collation`: whether
/// strings are compared byte by byte. Takes time linear in the number of the filter's nodes,
/// plus a bounded time for at most 64 terms of 64 predicates.
[[nodiscard]] planned_form form_of(const conjunct* conjuncts, const outline_rules& rules,
                                   bool simple_collation, scratch& memory) noexcept;

}  // namespace scattergate::routing
