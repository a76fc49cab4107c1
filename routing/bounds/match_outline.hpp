#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "routing/bounds/rewritten_expression.hpp"

/// A filter as mongos's planner has it before it looks at an index: a tree without values,
/// optimised and sorted. Which of several `$or` bounds the key, and which negation can, is told
/// by it.
namespace scattergate::routing {

/// What a node is, in the order in which mongos sorts siblings (mongo: matcher/expression.h,
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

/// Thread-safety: as the scratch that holds it.
struct match_node {
  match_kind kind = match_kind::other;
  std::string_view path;
  std::span<const match_node* const> children;
  std::size_t size = 1;    ///< nodes in the tree below it, itself included
  wire::element source{};  ///< of a comparison: the field, operator or member that says it
};

/// What expressions in the filter are read with.
struct outline_rules {
  const let_variables* let = nullptr;
  server_version version;
  bool keeps_denials = false;  ///< of what always or never holds, from 8.0 on
};

/// The filter's tree; null where the scratch is exhausted or it can't be read.
[[nodiscard]] const match_node* outline_of(wire::document_view filter,
                                           const outline_rules& rules,
                                           scratch& memory) noexcept;

/// The same of an `$or` whose branches these are.
[[nodiscard]] const match_node* outline_of_any(wire::document_view branches,
                                               const outline_rules& rules,
                                               scratch& memory) noexcept;

/// The same of what an `$expr` was rewritten to.
[[nodiscard]] const match_node* outline_of(const rewritten_expression& from,
                                           scratch& memory) noexcept;

/// The same of the operators on one field.
[[nodiscard]] const match_node* outline_of_operators(wire::document_view operators,
                                                     std::string_view path,
                                                     const outline_rules& rules,
                                                     scratch& memory) noexcept;

/// How mongos sorts siblings: negative, zero, positive (mongo: query/canonical_query.cpp,
/// matchExpressionComparator).
[[nodiscard]] int compare(const match_node& left, const match_node& right) noexcept;

/// Whether an index can answer the negation of the filter: of one comparison and nothing else
/// (mongo: query/indexability.h, isBoundsGeneratingNot; planner_ixselect.cpp, compatible).
[[nodiscard]] bool is_negatable(const match_node& node) noexcept;

}  // namespace scattergate::routing
