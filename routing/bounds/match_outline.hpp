#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "routing/bounds/rewritten_expression.hpp"

/// The outline of a filter: the optimised, sorted tree, without values, that mongos's planner
/// sees before it considers indexes. Determines which of several `$or`s, and which negations,
/// bound the key.
namespace scattergate::routing {

/// A node's kind, in the order in which mongos sorts siblings (mongo: matcher/expression.h,
/// MatchType).
enum class match_kind : std::uint8_t {
  all,  ///< without children: always true
  any,
  elem_match_object,
  elem_match_value,
  size,
  eq,
  lte,
  lt,
  gt,
  gte,
  regex,
  mod,
  exists,
  in,
  bits,
  not_,
  nor,
  type,
  geo,
  where,
  expression,
  always_false,
  always_true,
  near,
  text,
  internal_eq,  ///< an equality that an $expr was rewritten to
  other,
};

/// A node of a filter's outline. Thread-safety: as for the scratch memory that holds it.
struct match_node {
  match_kind kind = match_kind::other;
  std::string_view path;
  std::span<const match_node* const> children;
  std::size_t size = 1;    ///< nodes in this subtree
  wire::element source{};  ///< for a comparison: its field, operator or member
};

/// The parameters that determine the meaning of the filter's expressions.
struct outline_rules {
  const let_variables* let = nullptr;
  server_version version;
  bool keeps_denials = false;  ///< from 8.0 on: don't replace negations of constants
};

/// Builds a filter's outline; null if the scratch memory is exhausted or the filter can't be
/// read.
[[nodiscard]] const match_node* outline_of(wire::document_view filter,
                                           const outline_rules& rules,
                                           scratch& memory) noexcept;

/// Builds the outline of an `$or` with these branches; null if the scratch memory is exhausted
/// or a branch can't be read.
[[nodiscard]] const match_node* outline_of_any(wire::document_view branches,
                                               const outline_rules& rules,
                                               scratch& memory) noexcept;

/// Builds the outline of a rewritten `$expr`; null if the scratch memory is exhausted.
[[nodiscard]] const match_node* outline_of(const rewritten_expression& from,
                                           scratch& memory) noexcept;

/// Builds the outline of the operators on one field; null if the scratch memory is exhausted or
/// they can't be read.
[[nodiscard]] const match_node* outline_of_operators(wire::document_view operators,
                                                     std::string_view path,
                                                     const outline_rules& rules,
                                                     scratch& memory) noexcept;

/// Compares siblings in mongos's sort order: negative, zero or positive (mongo:
/// query/canonical_query.cpp, matchExpressionComparator).
[[nodiscard]] int compare(const match_node& left, const match_node& right) noexcept;

/// Whether an index supports the negation of this node: only if it is a single comparison
/// (mongo: query/indexability.h, isBoundsGeneratingNot; planner_ixselect.cpp, compatible).
[[nodiscard]] bool is_negatable(const match_node& node) noexcept;

}  // namespace scattergate::routing
